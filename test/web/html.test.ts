import { describe, expect, it } from 'vitest';
import { html, joined, Markup } from '../../web/html.ts';

describe('html', () => {
  it('escapes what it interpolates, in text and in attributes', () => {
    const hostile = `<script>alert("1" & '2')</script>`;
    const escaped = '&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;';
    expect(String(html`<p title="${hostile}">${hostile}</p>`)).toBe(
      `<p title="${escaped}">${escaped}</p>`,
    );
  });

  it('keeps markup, alone and in lists, and leaves out what is absent', () => {
    const items = ['a', 'b'].map((one) => html`<li>${one}</li>`);
    expect(String(html`${items}${null}${undefined}${false}${0}`)).toBe('<li>a</li><li>b</li>0');
    expect(String(html`${Markup.trusted('<hr>')}`)).toBe('<hr>');
  });

  it('leaves the indentation of its source out of the page, and none of a value', () => {
    const value = 'a\n    b';
    const page = html`<ul>
      <li>${value}</li>
    </ul>`;
    expect(String(page)).toBe('<ul>\n<li>a\n    b</li>\n</ul>');
  });

  it('joins parts by markup or text', () => {
    const parts = ['a', '<', html`<b>c</b>`];
    expect(String(html`${joined(parts, html`<hr />`)}`)).toBe('a<hr />&lt;<hr /><b>c</b>');
    expect(String(html`${joined([], ', ')}`)).toBe('');
  });

  it('shows control characters and marks of direction instead of obeying them', () => {
    expect(String(html`<p>${'a\u202Eb\u001B[2J'}</p>`)).toBe('<p>a\u{fffd}b\u{fffd}[2J</p>');
  });
});
