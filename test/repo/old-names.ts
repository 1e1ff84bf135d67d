// Finds identifiers that were given up because they had several meanings or none. ARCHITECTURE.md explains the words
// that replace them.
import type { TrackedFile } from './tracked-files.ts';

/** The old identifier, and what to write instead. */
const REPLACED: Readonly<Record<string, string>> = {
  Arena: 'ChaosRun',
  BatchFault: 'ExecutorFault',
  BatchNeeds: 'SlurmNeeds or VcpuNeeds',
  Beats: 'StoreHeartbeat',
  Bed: 'BenchServer',
  BRIEF: 'STEPS_NOT_SIGNALED',
  CampaignControl: 'LiveCampaign',
  Controls: 'Instructions, or MessageName for messages of people',
  decidable: 'the stored GenerationContext',
  EvidenceSets: 'Rollouts or TrajectorySets',
  GenerationConfig: 'GenerationContext',
  Ground: 'QueryBase',
  incumbentSteps: 'optimizerMetrics',
  isBorn: 'hasReported',
  isForGood: 'isPermanent',
  Judged: 'the stored GenerationContext',
  keepOldest: 'endYounger or withdrawUnlessOldest',
  LabelledHalf: 'LabeledSample',
  OpenGeneration: 'GenerationSteps and GenerationProgress',
  openHalf: 'sampleOf',
  Patience: 'retryWhileUnreachable',
  placeOf: 'rootsIdOf',
  Pulse: 'FileHeartbeat',
  Pulses: 'Liveness',
  quickly: 'activity',
  screenable: 'the stored GenerationContext',
  Screenable: 'the stored GenerationContext',
  sealDefinition: 'withDigest',
  Sighting: 'ClaimStatus',
  SlurmFault: 'ExecutorFault',
  Victim: 'KillTarget',
  Workshop: 'JobSandbox',
  World: 'TestMachine or WorkflowBench',
  in_band: 'level_weights',
  ZERO_VARIANCE: 'ZERO_STD or STD_EPSILON',
};

const IDENTIFIER = new RegExp(
  String.raw`(?<![\w/'"-])(${Object.keys(REPLACED).join('|')})(?![\w/'"-])`,
);

/** `path:line name: what to write`. The files' comments are left out by the caller. */
export const oldNames = (files: readonly TrackedFile[]): string[] =>
  files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => {
      const name = IDENTIFIER.exec(line)?.[1];
      return name === undefined ? [] : [`${path}:${index + 1} ${name}: write ${REPLACED[name]}`];
    }),
  );
