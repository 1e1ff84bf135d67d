// The first script of every page.
import { listenToKeys } from './keys.js';
import { keepLive } from './live.js';

const parts = document.getElementById('parts');
if (parts?.dataset['live'] !== undefined) keepLive(parts);
listenToKeys(localStorage);
