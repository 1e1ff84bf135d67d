// Which Python environments of trainers/ a campaign needs.

export const PYTHON_ENVIRONMENTS = ['hf', 'sandbox', 'trl'] as const;
export type PythonEnvironment = (typeof PYTHON_ENVIRONMENTS)[number];

export const OWN_DOMAIN = 'own';

/** None for our own trainer on our own domains. In alphabetical order, because they are part of a digest. */
export function pythonEnvironments({
  domain,
  trainer,
}: {
  readonly domain: string;
  readonly trainer: { readonly type: string };
}): PythonEnvironment[] {
  const isOwn = domain === OWN_DOMAIN;
  const isForeign = trainer.type !== 'evotrainer';
  return [
    ...(isOwn ? (['hf'] as const) : []),
    ...(isOwn || isForeign ? (['sandbox'] as const) : []),
    ...(trainer.type === 'trl' ? (['trl'] as const) : []),
  ];
}
