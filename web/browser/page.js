// The first script of every page.
import { keepLive } from './live.js';

const parts = document.getElementById('parts');
if (parts?.dataset['live'] !== undefined) keepLive(parts);
