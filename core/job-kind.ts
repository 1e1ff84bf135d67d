export const JOB_KINDS = ['warmup', 'train', 'rollout', 'evaluate'] as const;
export type JobKind = (typeof JOB_KINDS)[number];
