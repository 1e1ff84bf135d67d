// Keeps a page as it is now: the server sends the parts that changed, and they are morphed by their ids, so that focus,
// scroll, open folds and inputs stay.
import { Idiomorph } from './idiomorph.js';

const rules = { createHTML: (/** @type {string} */ text) => text };

/** Scripts may make elements of text only through this policy. */
const policy = globalThis.trustedTypes?.createPolicy('evo', rules) ?? rules;

/**
 * @typedef {object} Changed
 * @property {readonly string[]} order ids of all parts, from the top
 * @property {readonly [id: string, markup: string][]} parts those that changed
 * @property {string} news what happened last
 */

/** A hidden page closes its stream, because a browser has six connections for a server.
 * @param {HTMLElement} root */
export function keepLive(root) {
  const address = root.dataset['live'] ?? '';
  let from = root.dataset['from'] ?? '';
  /** @type {EventSource | null} */
  let source = null;
  const open = () => {
    if (source || document.hidden) return;
    const join = address.includes('?') ? '&' : '?';
    source = new EventSource(`${address}${join}from=${encodeURIComponent(from)}`);
    source.addEventListener('parts', (event) => {
      from = event.lastEventId;
      show(root, JSON.parse(event.data));
    });
  };
  const close = () => {
    source?.close();
    source = null;
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  addEventListener('pagehide', close);
  open();
}

/** @param {HTMLElement} root
 * @param {Changed} changed */
function show(root, { order, parts, news }) {
  const said = document.getElementById('news');
  if (said && said.textContent !== news) said.textContent = news;
  for (const [id, markup] of parts) {
    const part = elementOf(markup);
    const there = document.getElementById(id);
    if (there)
      void Idiomorph.morph(there, part, { callbacks: { beforeAttributeUpdated: keepFolds } });
    else root.append(part);
  }
  for (const child of [...root.children]) if (!order.includes(child.id)) child.remove();
  order.forEach((id, at) => {
    const part = document.getElementById(id);
    const next = root.children[at];
    if (part && next && part !== next) root.insertBefore(part, next);
  });
}

/** @param {string} markup */
function elementOf(markup) {
  const { body } = new DOMParser().parseFromString(policy.createHTML(markup), 'text/html');
  const first = body.firstElementChild;
  if (!first) throw new Error('a part without an element');
  return first;
}

/** Who opened a fold closes it.
 * @param {string} name
 * @param {Element} element */
const keepFolds = (name, element) => !(name === 'open' && element.localName === 'details');
