import { describe, expect, test } from 'vitest';
import { markedAnswers, programIn } from '../../../core/facts/answers.ts';

describe('marked answers', () => {
  test.each([
    ['so \\boxed{\\frac{1}{2}} or \\boxed{3}', ['\\frac{1}{2}', '3']],
    ['The answer is \\boxed{7}.', ['7']],
    ['**Answer:** 42', ['42']],
    ['Final answer: 12.\nNo, wait.\nFinal answer: 13.', ['12', '13']],
    ['a\n#### 5', ['5']],
    ['<answer> x = 2 </answer>', ['x = 2']],
    ['42', ['42']],
    ['', []],
    ['The answer is not what one would think of when one reads it first. So:\nnothing', []],
    [`${'long '.repeat(100)}`, []],
    ['# Heading\n\nIt cannot be answered.', []],
  ])('of %j', (text, answers) => {
    expect(markedAnswers(text)).toEqual(answers);
  });

  test.each([
    ['```python\ndef f(): pass\n```', 'answer.py', 'def f(): pass\n'],
    ['```\nx\n```\nbetter:\n```js\nlet y\n```', 'answer.js', 'let y\n'],
    ['def f():\n  return 1', 'answer.py', 'def f():\n  return 1'],
  ])('a program in %j', (text, path, code) => {
    expect(programIn(text)).toEqual({ path, text: code });
  });

  test.each(['I cannot.', '```bash\nls\n```'])('no program in %j', (text) => {
    expect(programIn(text)).toBeNull();
  });
});
