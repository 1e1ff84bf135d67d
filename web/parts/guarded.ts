// A part that cannot be made says so in its place, and the others stand.
import { messageOf } from '../../core/message-of.ts';
import { html, type Markup } from '../html.ts';
import type { Part } from './part.ts';

/** No part where there is nothing to show. */
export function guarded(id: string, make: () => Markup | null): Part[] {
  try {
    const markup = make();
    return markup === null ? [] : [{ id, markup }];
  } catch (error) {
    const markup = html`<h2>${id}</h2>
      <p class="damage">
        This part cannot be shown: ${messageOf(error)}. The rest of the page stands; evo verify
        finds what is damaged.
      </p>`;
    return [{ id, markup }];
  }
}
