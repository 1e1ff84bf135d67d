import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quotedJson } from '../../../core/research/quoted.ts';

describe('text of others in JSON', () => {
  test.each([
    ['a null', '\u0000'],
    ['an escape sequence', '\u001b[2J'],
    ['a C1 control', '\u009b31m'],
    ['an override of direction', '\u202e'],
    ['an isolate', '\u2066'],
    ['a zero-width space', '\u200b'],
    ['a byte order mark', '\ufeff'],
    ['a line separator', '\u2028'],
    ['a tag character', '\u{e0041}'],
    ['a selector of variants', '\ufe0f'],
    ['a filler that shows nothing', '\u3164'],
    ['a soft hyphen', '\u00ad'],
  ])('escapes %s', (_, character) => {
    const text = quotedJson({ said: `a${character}b` });
    expect(text).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(text)).toEqual({ said: `a${character}b` });
  });

  test('leaves visible text as it is', () => {
    expect(quotedJson('größe 数学 🙂')).toBe('"größe 数学 🙂"');
  });

  test('stays one string, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const quoted = quotedJson(text);
        expect(quoted).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(JSON.parse(quoted)).toBe(text);
      }),
    );
  });
});
