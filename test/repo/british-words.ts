// Finds British spellings: the tree is in American English.
import type { TrackedFile } from './tracked-files.ts';

const BRITISH = new RegExp(
  [
    String.raw`catalogue|artefact|judgement|(?<![a-z])programme(?![a-z])`,
    String.raw`(?<![a-z])(behaviour|colour|favour|honour|neighbour|labell|modell|signall|travell|cancell(ed|ing|able))`,
    String.raw`(?<![a-z])(centre|defence|grey|learnt|whilst|fulfil)(d|s)?(?![a-z])`,
    String.raw`(?<![a-z])(analyse|paralyse)(d|s)?(?![a-z])`,
    String.raw`(?<![a-z])(author|categor|custom|emphas|equal|final|general|initial|local|maxim|minim|normal|optim|organ|penal|priorit|random|real|recogn|regular|serial|special|stabil|standard|summar|synchron|token|ut[i]l|visual)is(e|es|ed|er|ing|ation)(?![a-z])`,
  ].join('|'),
  'i',
);

/** Words of others, which are spelled as they are: a name of Temporal's, and the seed of a stream of random numbers. */
const FOREIGN = /\w*Cancelled[A-Z]\w*|\w*CancelledError|\bCANCELLED\b|hash64\("initialise"/g;

/** `path:line word` of each. */
export const britishWords = (files: readonly TrackedFile[]): string[] =>
  files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => {
      const found = BRITISH.exec(line.replaceAll(FOREIGN, ''))?.[0];
      return found === undefined ? [] : [`${path}:${index + 1} ${found}`];
    }),
  );
