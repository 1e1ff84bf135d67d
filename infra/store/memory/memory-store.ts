import { ObjectStore } from '../archive.ts';
import { MemoryMedium } from './memory-medium.ts';

/** A Store that forgets: the fake for tests of activities, with the real rules. */
export class MemoryStore extends ObjectStore {
  constructor(root: 'open' | 'sealed', medium: MemoryMedium = new MemoryMedium()) {
    super(root, medium);
  }
}
