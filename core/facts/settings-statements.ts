// Settings files with sections: which section a line stands in, and of a value over several lines which key it belongs to.
import type { SourceLine, Statement } from './statements.ts';

export const HAS_SECTIONS = /\.(?:toml|ini|conf)$|\.cfg$|(?:^|\/)\.(?:coveragerc|flake8|pylintrc)$/;

const SECTION = /^\[{1,2}\s*(?<name>[^[\]]+?)\s*\]{1,2}\s*(?:[#;].*)?$/;
const KEY = /^(?<key>[\w."'-]+)\s*(?:=|:(?!:))\s*(?<value>.*)$/;
const COMMENT = /^[#;]/;

/** `scope` is the key, where the line only goes on with its value; `under` the section. `heading` is a hunk's. */
export function settingsStatements(lines: readonly SourceLine[], heading = ''): Statement[] {
  let under = SECTION.exec(heading.trim())?.groups?.['name'] ?? '';
  let scope = '';
  let isOpen = false;
  return lines.flatMap(({ text: line, mark }): Statement[] => {
    const text = line.trim();
    if (text === '' || COMMENT.test(text)) return [];
    const section = isOpen ? undefined : SECTION.exec(text)?.groups?.['name'];
    if (section !== undefined) {
      under = section;
      scope = '';
      return [{ text, scope, under, mark }];
    }
    const isIndented = /^\s/.test(line);
    const { key, value = '' } = (isOpen ? null : KEY.exec(text)?.groups) ?? {};
    const goesOn = isOpen || (isIndented && scope !== '');
    if (key !== undefined && !(goesOn && isIndented)) {
      scope = key.replaceAll(/["']/g, '');
      isOpen = /^[[{](?!.*[\]}]\s*,?\s*(?:#.*)?$)/.test(value);
      return [{ text, scope: '', under, mark }];
    }
    if (isOpen && /^[\]}]/.test(text)) isOpen = false;
    return [{ text, scope, under, mark }];
  });
}
