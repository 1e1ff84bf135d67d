import { describe, expect, it } from 'vitest';
import { storeRootFault } from '../../core/store-root.ts';

describe('the address of a root', () => {
  it.each([
    'file:///var/evo/store',
    'file:///home/a%20b/...%23/store/',
    's3://evo',
    's3://evo-bucket/team/a..b/evo/',
  ])('%s is accepted', (text) => {
    expect(storeRootFault(text)).toBeNull();
  });

  it.each([
    'file:///var/evo/../../etc',
    'file:///var/%2e%2E/etc',
    'file:///var/.%2e/etc',
    'file:///var/./evo',
    's3://bucket/../other',
    's3://bucket/a/%2e%2e',
  ])('%s is refused, because it leads elsewhere', (text) => {
    expect(storeRootFault(text)).toMatch(/^"\.\.?" is not allowed in it/);
  });

  it.each([
    'file://host/share',
    'file:///',
    'file:/var/evo',
    '/var/evo',
    's3://',
    's3://user:secret@bucket/x',
    'http://example.org/x',
    '',
  ])('%j is refused with the form', (text) => {
    expect(storeRootFault(text)).toBe('write file:///absolute/path or s3://bucket/prefix');
  });

  it.each([
    String.raw`file:///var\..\etc`,
    'file:///var/.\t./etc',
    'file:///var/a?b',
    'file:///var/a#b',
    'file:///var/a%2fb',
    'file:///var/a%00b',
    'file:///var/100%',
    'file:////proc/evo',
  ])('%j is refused, because a URL does not mean it literally', (text) => {
    expect(storeRootFault(text)).not.toBeNull();
  });
});
