// Compares the packages that npm installed with the lock file.

/**
 * @typedef {{ integrity?: string, optionalDependencies?: Record<string, string> }} Package
 * @typedef {{ packages: Record<string, Package> }} Lock
 */

/**
 * Native parts of locked packages whose hash the lock file lacks, since it was made where they were not to be had.
 * Throws for any other package, and for another hash. @param {Lock} lock @param {Lock} installed
 */
export function findUnlocked(lock, installed) {
  const native = new Set(
    Object.values(lock.packages).flatMap((one) => Object.keys(one.optionalDependencies ?? {})),
  );
  return Object.entries(installed.packages).flatMap(([place, { integrity }]) => {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const locked = lock.packages[place];
    if (locked === undefined && native.has(name)) return [name];
    if (locked !== undefined && locked.integrity === integrity) return [];
    throw new Error(`npm installed another ${name} than package-lock.json names`);
  });
}
