// The lint of words: which texts of a file it reads, and where it reports a phrase.
import { join } from 'node:path'
import t from 'tap'

const { findings } = (await import(join(import.meta.dirname, '../../.ci/words.ts'))) as {
  readonly findings: (path: string, source: string) => readonly { readonly line: number; readonly found: string }[]
}

const found = (path: string, ...lines: readonly string[]) =>
  findings(path, lines.join('\n')).map(({ line, found }) => `${line} ${found}`)

// In parts, because this file is checked as well.
const [FIRST, SECOND, THIRD] = ['to-ld', 'an-ew', 'no-body'].map((word) => word.replace('-', ''))

t.test('comments are checked, also across lines, and code is not', async (t) => {
  t.same(
    found(
      'core/a.ts',
      '// A run goes',
      '// on until it ends.',
      `const nobody = 'whoever' // ${FIRST} to no one`,
      '/**',
      ' * Rows in `whatever` order, two of them.',
      ' * What is stored. What is it?',
      ' */',
      `const b = 1 /* ${SECOND} */`,
    ),
    ['1 goes on', '3 told', '6 What is', '8 anew'],
  )
  t.same(found('core/a.ts', '// Two hashes tell equal texts apart.', '// What was read, by id?'), [])
  t.same(found('core/a.ts', '// A page is no answer, and there is no other page.', '// A plan is no longer kept.'), [
    '1 is no answer',
  ])
})

t.test('documents are checked without their code', async (t) => {
  t.same(found('docs/a.md', '# Title', '', 'The run', 'tells no one.', '```', 'nobody', '```', 'See [it](goes on).'), [
    '4 tells',
  ])
})

t.test('names of tests and English texts are checked, other strings are not', async (t) => {
  t.same(found('test/a.test.ts', `t.test('a name that ${THIRD} knows', async (t) => {`, "  t.equal(a, 'nobody')"), [
    '1 nobody',
  ])
  t.same(found('ui/texts/en/a.ts', "a: 'Begin anew',"), ['1 anew'])
  t.same(found('ui/texts/de/a.ts', "a: 'nobody',"), [])
})

t.test('texts of plugins are checked by their English, and in texts and documents the spelling too', async (t) => {
  const path = 'plugins/services/a/texts/de.json'
  t.same(found(path, '{', '  "No id that fits": "nobody",', '  "Try again (ms)": "Colour"', '}'), ['2 id', '3 (ms)'])
  t.same(found('ui/texts/de/service.ts', "  'Empty: all of them.':", "    'Empty: alle',"), ['1 Empty: '])
  t.same(found('docs/a.md', 'The colour of the `colour`.'), ['1 colour'])
  t.same(found('core/a.ts', '// The colour of an id.'), [])
  t.same(found('ui/texts/en/search.ts', "a: 'film id colour',"), [])
})
