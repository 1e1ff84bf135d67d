// A shell text as its simple commands, in the order they run, with quoting, known variables and nesting resolved.
import {
  type Command,
  forEachChild,
  parse,
  type ParsedScript,
  type Pipeline,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';
import {
  ACTS_MAX,
  NESTING_MAX,
  SOCKET,
  type ShellCommand,
  type ShellState,
  TEXT_MAX,
  VALUE_MAX,
} from './call.ts';
import { normalPath } from './paths.ts';
import { isLiteral, wordText } from './shell-words.ts';

/** Values of a loop that are tried; what a longer list does, its first elements show. */
const LOOP_VALUES_MAX = 8;
/** Parts of a script that are looked at, loops unrolled. */
const STEPS_MAX = 20_000;
/** Places after which reading begins anew in a broken text. */
const RESTARTS_MAX = 20;
const VARIABLES_MAX = 1000;

/** Going to the workspace is no folder. Never throws; what cannot be read gives no command. */
export function shellCommands(text: string, state: ShellState, folder = ''): ShellCommand[] {
  const reader = new Reader(state, folder);
  let rest = text.slice(0, TEXT_MAX);
  for (let restarts = 0; restarts < RESTARTS_MAX && rest.trim() !== ''; restarts++) {
    const script = parse(rest);
    reader.visitAll(script.commands);
    // After an error the rest is left out: it begins behind the next separator.
    const end = script.commands.at(-1)?.end ?? 0;
    if (script.errors === undefined || end >= rest.length) break;
    const next = /[\n;&|)]+/.exec(rest.slice(end));
    if (next === null) break;
    rest = rest.slice(end + next.index + next[0].length);
  }
  return reader.commands;
}

class Reader {
  readonly commands: ShellCommand[] = [];
  readonly #variables: Map<string, string>;
  readonly #root: string;
  #folder: string;
  #steps = 0;
  #depth = 0;

  constructor({ root, variables }: ShellState, folder: string) {
    this.#root = root;
    this.#variables = variables;
    this.#folder = folder;
  }

  visitAll(nodes: readonly SyntaxNode[]): void {
    for (const node of nodes) this.#visit(node, null);
  }

  #visit(node: SyntaxNode, input: string | null): void {
    if (this.commands.length >= ACTS_MAX || ++this.#steps > STEPS_MAX) return;
    switch (node.type) {
      case 'Command':
        return this.#command(node, input);
      case 'Pipeline':
        return this.#pipeline(node);
      case 'For':
        return this.#loop(node);
      case 'Subshell': {
        const folder = this.#folder;
        forEachChild(node, (child) => this.#visit(child, input));
        this.#folder = folder;
        return;
      }
      case 'Redirected': {
        this.#visit(node.command, this.#inputOf(node.redirects) ?? input);
        const redirects = this.#redirects(node.redirects);
        if (redirects.length > 0) this.#push([], redirects, null);
        return;
      }
      default:
        forEachChild(node, (child) => this.#visit(child, input));
    }
  }

  /** What echo prints and cat passes on is the input of what follows. */
  #pipeline({ commands }: Pipeline): void {
    let input: string | null = null;
    for (const [at, one] of commands.entries()) {
      const output: string | null = one.type === 'Command' ? this.#outputOf(one, input) : null;
      const isPassedOn = output !== null && at < commands.length - 1;
      if (isPassedOn && one.type === 'Command' && this.#redirects(one.redirects).length === 0) {
        this.#nested(one);
      } else this.#visit(one, input);
      input = output;
    }
  }

  #outputOf(command: Command, input: string | null): string | null {
    const [name, ...args] = this.#words(command);
    if (name === 'cat' && args.every((word) => word === '-')) {
      return this.#inputOf(command.redirects) ?? input;
    }
    if (name !== 'echo' && name !== 'printf') return null;
    const words = args.filter((word) => !/^-[neE]+$/.test(word));
    const isFormat = name === 'printf' && words.length > 1 && (words[0] ?? '').includes('%');
    return (isFormat ? words.slice(1) : words).join(' ').replaceAll('\\n', '\n');
  }

  #loop(node: Extract<SyntaxNode, { type: 'For' }>): void {
    const values = (node.wordlist ?? []).map((word) => wordText(word, this.#variables));
    const tried = values.filter((value) => !value.includes('$')).slice(0, LOOP_VALUES_MAX);
    for (const word of node.wordlist ?? []) this.#nested(word);
    for (const value of tried.length > 0 ? tried : [null]) {
      if (value !== null) this.#remember(node.name.value, value);
      this.#visit(node.body, null);
    }
  }

  #command(command: Command, piped: string | null): void {
    this.#nested(command);
    for (const part of command.prefix) {
      if (part.type !== 'Assignment') continue;
      if (part.value.type === 'ArrayValue') {
        const elements = part.value.elements.map((word) => wordText(word, this.#variables));
        this.#remember(`${part.name}[@]`, elements.join(' '));
        continue;
      }
      const value = wordText(part.value, this.#variables);
      if (isLiteral(part.value) || !value.includes('$')) this.#remember(part.name, value);
    }
    const words = this.#words(command);
    const redirects = this.#redirects(command.redirects);
    if (words[0] === 'cd' || words[0] === 'pushd') this.#enter(words[1]);
    this.#alias(words);
    if (words.length === 0 && redirects.length === 0) return;
    this.#push(words, redirects, this.#inputOf(command.redirects) ?? piped);
  }

  #push(words: readonly string[], redirects: ShellCommand['redirects'], input: string | null) {
    if (this.commands.length >= ACTS_MAX) return;
    this.commands.push({ words, redirects, input, folder: this.#folder });
  }

  /** Scripts within words: they run before the command that they stand in. */
  #nested(node: SyntaxNode): void {
    forEachChild(node, (child) => {
      if (child.type === 'Script') this.#script(child);
      else this.#nested(child);
    });
  }

  #script(script: ParsedScript): void {
    if (this.#depth >= NESTING_MAX) return;
    const folder = this.#folder;
    this.#depth++;
    this.visitAll(script.commands);
    this.#depth--;
    this.#folder = folder;
  }

  /** The first word may hold several: a variable that is not quoted, or an alias. */
  #words({ name, args }: Command): string[] {
    if (name === undefined) return [];
    const array = /^"?\$\{(\w+)\[[@*]\]\}"?$/.exec(name.text)?.[1];
    const listed = array === undefined ? undefined : this.#variables.get(`${array}[@]`);
    const first = listed ?? wordText(name, this.#variables);
    const alias = this.#variables.get(`alias ${first}`) ?? first;
    const isSplit = alias !== name.value && (listed !== undefined || !/^["']/.test(name.text));
    const rest = args.map((word) =>
      word.type === 'Word' ? wordText(word, this.#variables) : word.text,
    );
    return [...(isSplit ? alias.split(/\s+/).filter(Boolean) : [alias]), ...rest];
  }

  #alias([name, ...args]: readonly string[]): void {
    if (name !== 'alias') return;
    for (const word of args) {
      const { key, value } = /^(?<key>[\w.-]+)=(?<value>.*)$/s.exec(word)?.groups ?? {};
      if (key !== undefined && value !== undefined) {
        this.#remember(`alias ${key}`, value.replaceAll(/^['"]|['"]$/g, ''));
      }
    }
  }

  #remember(name: string, value: string): void {
    if (this.#variables.size < VARIABLES_MAX || this.#variables.has(name)) {
      this.#variables.set(name, value.slice(0, VALUE_MAX));
    }
  }

  #enter(target: string | undefined): void {
    if (target === undefined || target === '-' || /[$*]/.test(target)) return;
    const folder = normalPath(target, this.#folder);
    if (folder === this.#root) this.#folder = '';
    else if (this.#root !== '' && folder.startsWith(`${this.#root}/`)) {
      this.#folder = folder.slice(this.#root.length + 1);
    } else this.#folder = folder;
  }

  #redirects(all: readonly Redirection[]): ShellCommand['redirects'] {
    return all.flatMap((one) => {
      if (one.type !== 'Redirect' || one.target === undefined) return [];
      const path = wordText(one.target, this.#variables);
      // Descriptors and devices are no files of the workspace.
      if (path === '' || /^(?:\d+|-)$/.test(path)) return [];
      if (path.startsWith('/dev/') && !SOCKET.test(path)) return [];
      const writes = one.operator !== '<';
      return [{ path: normalPath(path, this.#folder), writes }];
    });
  }

  #inputOf(all: readonly Redirection[]): string | null {
    for (const one of all) {
      if (one.type === 'HereDoc') return one.body.text;
      if (one.type === 'HereString' && one.target !== undefined) {
        return wordText(one.target as Word, this.#variables);
      }
    }
    return null;
  }
}
