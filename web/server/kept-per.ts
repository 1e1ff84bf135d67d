/** Makes one for each campaign and keeps it; what could not be made is tried again. */
export function keptPer<Kept>(
  make: (campaign: string) => Promise<Kept>,
): (campaign: string) => Promise<Kept> {
  const all = new Map<string, Promise<Kept>>();
  return (campaign) => {
    const known = all.get(campaign);
    if (known) return known;
    const made = make(campaign);
    all.set(campaign, made);
    made.catch(() => all.delete(campaign));
    return made;
  };
}
