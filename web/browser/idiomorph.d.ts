// The package, under the address at which the server gives it to browsers.
export { Idiomorph } from 'idiomorph';
