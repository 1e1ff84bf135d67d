// What passes between the readers of commands, scripts and tool calls.
import type { Action } from '../schemas/trajectory.ts';

/** What was done, before it is known how it went. What reads some paths and writes others is two acts. */
export type Act = Pick<Action, 'kind' | 'verb' | 'args' | 'paths' | 'wrote' | 'url'>;

export interface Script {
  readonly language: 'shell' | 'python' | 'javascript';
  readonly text: string;
}

/** One simple command, wherever it stood: in a pipe, a substitution, an inline script. */
export interface ShellCommand {
  readonly words: readonly string[];
  /** Files that redirections read or write. */
  readonly redirects: readonly { readonly path: string; readonly writes: boolean }[];
  /** What is known of its standard input: a heredoc, or what echo sends it. */
  readonly input: string | null;
  /** Relative to where the call started, or absolute; '' at the start. */
  readonly folder: string;
}

/** What one command leaves for the next within a trajectory. */
export interface ShellState {
  /** Where the agent's workspace lies; a `cd` there is no part of a path. */
  readonly root: string;
  readonly gitAliases: Map<string, string>;
  /** Of the shell: many agents keep one for all their calls. */
  readonly variables: Map<string, string>;
  /** Scripts that were written, by their path in the workspace. */
  readonly scripts: Map<string, string>;
}

/** More acts in one call than any honest one has; what is beyond is left out. */
export const ACTS_MAX = 64;
/** Longer commands and scripts are read up to here. */
export const TEXT_MAX = 100_000;
export const NESTING_MAX = 8;
/** The shell opens a connection where a redirection names such a file. */
export const SOCKET = /^\/dev\/(?:tcp|udp)\/(?<host>[^/]+)\/(?<port>[^/]+)/;
/** What variables are followed to: a text that doubles itself ends here. */
export const VALUE_MAX = 10_000;
const ARGUMENT_MAX = 4000;

export const act = (
  kind: Act['kind'],
  verb: string,
  more: {
    readonly args?: readonly string[];
    readonly paths?: readonly string[];
    readonly wrote?: boolean;
    readonly url?: string | null;
  } = {},
): Act => ({
  kind,
  verb: verb.toLowerCase().slice(0, 200),
  args: (more.args ?? []).map((word) => word.slice(0, ARGUMENT_MAX)),
  paths: [...new Set(more.paths ?? [])].filter((path) => path !== ''),
  wrote: more.wrote ?? false,
  url: more.url ?? null,
});
