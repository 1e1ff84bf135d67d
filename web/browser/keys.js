// Keys of the page: `g c` campaigns, `j` and `k` rows, `/` the first filter, `?` what they are. `evo-keys` = "off" in the
// browser's storage turns them off, because single letters may be taken by assistive technology.

/** @param {Storage} storage */
export function listenToKeys(storage) {
  if (storage.getItem('evo-keys') === 'off') return;
  let before = '';
  addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof Element && event.target.closest('input, textarea, select');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const pressed = before + event.key;
    before = event.key === 'g' ? 'g' : '';
    if (pressed === 'gc') location.assign('/');
    else if (event.key === '/') focusOn(event, document.querySelector('main input'));
    else if (event.key === 'j') focusOn(event, rowBeside(1));
    else if (event.key === 'k') focusOn(event, rowBeside(-1));
    else if (event.key === '?') location.assign('/help/keys');
  });
}

/** @param {KeyboardEvent} event
 * @param {Element | null | undefined} element */
function focusOn(event, element) {
  if (!(element instanceof HTMLElement)) return;
  event.preventDefault();
  element.focus();
}

/** The link of the row before or after the focused one; the first where none is.
 * @param {1 | -1} step */
function rowBeside(step) {
  const links = [...document.querySelectorAll('tbody th a')];
  const at = links.findIndex((link) => link === document.activeElement);
  return at < 0 ? links[0] : links[at + step];
}
