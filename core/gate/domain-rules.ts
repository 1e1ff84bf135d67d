// What differs between the gate's domains, a row each; everything else of the gate is the same for all.

interface DomainRules {
  /**
   * difference: honest play passes some canaries by chance, so the upper bound of candidate − incumbent is held to
   * `limit`. absolute: no honest play passes one, so the upper bound of the candidate's own rate is.
   */
  readonly canary: { readonly kind: 'difference' | 'absolute'; readonly limit: number };
  /** True score that a policy which knows nothing may reach. */
  readonly nullScoreMax: number;
}

/** docs/gate.md, guard 2. math.chain: an answer modulo 10 is guessed one time in ten, and a wrong one may be the planted one. */
const DOMAIN_RULES: Readonly<Record<string, DomainRules>> = {
  'math.chain': { canary: { kind: 'difference', limit: 0.05 }, nullScoreMax: 0.1 },
  'code.listprog': { canary: { kind: 'absolute', limit: 0.02 }, nullScoreMax: 0.01 },
  'swe.minirepo': { canary: { kind: 'absolute', limit: 0.02 }, nullScoreMax: 0.01 },
};

/** The domains a campaign can have: those that the gate has rules for. */
export const DOMAIN_NAMES: readonly string[] = Object.keys(DOMAIN_RULES);

/** The rules of a domain. Throws RangeError that names the domains there are. */
export function domainRules(domain: string): DomainRules {
  const rules = DOMAIN_RULES[domain];
  if (!rules) {
    const known = DOMAIN_NAMES.join(', ');
    throw new RangeError(`the gate has no rules for domain '${domain}', only for ${known}`);
  }
  return rules;
}
