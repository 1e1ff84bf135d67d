// Shares and differences of scores as text.

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
export const points = (difference: number): string => `${(100 * difference).toFixed(1)} points`;
