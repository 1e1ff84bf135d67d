// Reads files that a user names.
export { parseYamlText, type YamlText } from '../infra/user-files/parse-yaml-text.ts';
export { readUserText } from '../infra/user-files/read-text.ts';
