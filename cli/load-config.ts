// Merges campaign files and --set overrides, left to right, into one checked config. Errors name file, line and cure.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { type CampaignConfig, campaignConfigSchema } from '../core/schemas/campaign-config.ts';
import { keysAt } from './config-keys.ts';
import { usageError } from './exit.ts';
import { nearest } from '../core/nearest.ts';

type Path = readonly (string | number)[];
type Tree = { [key: string]: unknown };

interface Source {
  readonly label: string;
  readonly value: Tree;
  /** File and line at which the source sets a path; null if it does not. */
  lineOf(path: Path): string | null;
}

/** Later sources win: maps merge key by key, everything else is replaced. */
export function loadConfig(files: readonly string[], overrides: readonly string[]): CampaignConfig {
  if (files.length === 0)
    throw usageError('give a campaign file, for example evo run configs/demo.yaml');
  const sources = [...files.map(readSource), ...overrides.map(overrideSource)];
  const merged = sources.reduce<Tree>((config, source) => merge(config, source.value), {});
  // So that `executor: {slots: 2}` needs no type.
  const { executor } = merged;
  if (isTree(executor)) merged['executor'] = { type: 'local', ...executor };
  const folder = merged['harness_folder'];
  if (typeof folder === 'string') merged['harness_folder'] = resolve(folderOf(sources), folder);
  const parsed = campaignConfigSchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap((issue) => faultsOf(issue, sources, merged));
  const inOrder = faults.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  throw usageError(inOrder.join('\n'));
}

/** A path in a file is relative to that file, a path given with --set to the working directory. */
function folderOf(sources: readonly Source[]): string {
  const named = sources.findLast(({ value }) => 'harness_folder' in value);
  return named === undefined || named.label.startsWith('--set') ? '.' : dirname(named.label);
}

function readSource(file: string): Source {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') throw usageError(`there is no file ${file}`);
    if (code === 'EISDIR') throw usageError(`${file} is a folder: give a campaign file in it`);
    throw usageError(`${file} cannot be read: ${String(error)}`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problem = document.errors[0];
  if (problem) {
    const { line } = lines.linePos(problem.pos[0]);
    throw usageError(`${file}:${line}: ${problem.message}`);
  }
  const value: unknown = document.toJS() ?? {};
  if (!isTree(value)) throw usageError(`${file} must contain a map of keys`);
  return { label: file, value, lineOf: (path) => lineInFile(file, document, lines, path) };
}

function lineInFile(file: string, document: Document, lines: LineCounter, path: Path) {
  const offset = keyOffset(document, path);
  return offset === null ? null : `${file}:${lines.linePos(offset).line}`;
}

/** Offset of the last key of the path; for an item of a list, of its value. */
function keyOffset(document: Document, path: Path): number | null {
  const key = path.at(-1);
  const parent: unknown =
    path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  if (isMap(parent)) {
    const pair = parent.items.find(
      (item) => isScalar(item.key) && String(item.key.value) === String(key),
    );
    return pair && isScalar(pair.key) ? (pair.key.range?.[0] ?? null) : null;
  }
  const node: unknown = document.getIn(path, true);
  return isScalar(node) || isMap(node) ? (node.range?.[0] ?? null) : null;
}

/** `budget.optimizer_steps=40`; the value is read as YAML. */
function overrideSource(text: string): Source {
  const equals = text.indexOf('=');
  if (equals < 1)
    throw usageError(`--set ${text}: write key=value, for example --set budget.optimizer_steps=40`);
  const path = text.slice(0, equals).split('.');
  const document = parseDocument(text.slice(equals + 1));
  if (document.errors[0]) throw usageError(`--set ${text}: the value is not YAML`);
  const given: unknown = document.toJS();
  const value = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), given);
  const label = `--set ${path.join('.')}`;
  return {
    label,
    value: isTree(value) ? value : {},
    lineOf: (asked) => (asked.join('.').startsWith(path.join('.')) ? label : null),
  };
}

function faultsOf(issue: z.core.$ZodIssue, sources: readonly Source[], merged: Tree): string[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const known = keysAt(campaignConfigSchema, path, merged);
      const meant = nearest(key, known);
      const cure = meant ? `did you mean "${meant}"?` : `known keys: ${known.join(', ')}`;
      return `${locationOf(sources, [...path, key])}: unknown key "${key}"; ${cure}`;
    });
  }
  const name = path.join('.');
  if (issue.code === 'invalid_type' && valueAt(merged, path) === undefined)
    return [`${locationOf(sources, path.slice(0, -1))}: "${name}" is missing`];
  return [`${locationOf(sources, path)}: ${name}: ${issue.message}`];
}

const valueAt = (tree: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([name]) => name === String(key))?.[1]
        : undefined,
    tree,
  );

function locationOf(sources: readonly Source[], path: Path): string {
  for (let length = path.length; length > 0; length -= 1) {
    for (const source of sources.toReversed()) {
      const line = source.lineOf(path.slice(0, length));
      if (line) return line;
    }
  }
  return sources[0]?.label ?? 'config';
}

function merge(base: Tree, over: Tree): Tree {
  const merged: Tree = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] = isTree(before) && isTree(value) ? merge(before, value) : value;
  }
  return merged;
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
