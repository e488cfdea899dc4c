// A start takes the sources of plugins for proven only if nothing about the files has changed since they were read.
import { copyFile, mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { hashOf } from '../../../core/built.js'
import { createProvenSources } from '../../../core/host/load/proven-sources.ts'

/** A file that was changed just now may change again without another time. */
const SETTLED_MS = 50

async function setUp(t: Test) {
  const root = t.testdir({ one: { 'index.ts': 'one', 'more.ts': 'more' }, two: { 'index.ts': 'two' } })
  const entry = (...sources: readonly string[]) => ({ sources, sourcesHash: hashOf(root, sources) })
  const plugins = { one: entry('one/index.ts', 'one/more.ts'), two: entry('two/index.ts') }
  const note = join(root, 'run', 'sources')
  await mkdir(join(root, 'run'))
  const start = (build = 'build') => createProvenSources({ root, note, build, settledMs: SETTLED_MS }, plugins)
  const noted = () => readFile(note, 'utf8').catch(() => null)
  await sleep(2 * SETTLED_MS)
  return { root, plugins, start, note, noted }
}

t.test('all proven by their contents, they are noted, and read again while they are used', async (t) => {
  const { root, start, noted } = await setUp(t)
  const first = start()
  t.ok(first.has('one'))
  await first.settled()
  t.equal(await noted(), null, 'one of two')
  t.ok(first.has('two'))
  await first.settled()
  t.type(await noted(), 'string')
  t.notOk(first.has('other'))

  const second = start()
  t.ok(second.has('one'))
  // An edit while it runs.
  await writeFile(join(root, 'one/index.ts'), 'ONE')
  t.notOk(second.has('one'))
  t.ok(second.has('two'))
  t.notOk(start().has('one'))
  t.ok(start('another build').has('two'))
})

t.test('no change between two starts goes unseen', async (t) => {
  const changes: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
    'other contents of the same size, with the earlier times': async (file) => {
      await writeFile(file, 'eno')
      await utimes(file, new Date(1_700_000_000_000), new Date(1_700_000_000_000))
    },
    'another file in its place': async (file) => {
      await writeFile(`${file}.new`, 'eno')
      await utimes(`${file}.new`, new Date(1_700_000_000_000), new Date(1_700_000_000_000))
      await rename(`${file}.new`, file)
    },
    'a missing file': (file) => rm(file),
  }
  for (const [name, change] of Object.entries(changes)) {
    const { root, start } = await setUp(t)
    const file = join(root, 'one/index.ts')
    await utimes(file, new Date(1_700_000_000_000), new Date(1_700_000_000_000))
    await sleep(2 * SETTLED_MS)
    const first = start()
    t.ok(first.has('one') && first.has('two'), name)
    await first.settled()
    await change(file)

    const second = start()
    t.notOk(second.has('one'), name)
    t.ok(second.has('two'), name)
  }
})

t.test('a copy of the same contents is proven again, and a change of just now is not noted', async (t) => {
  const { root, note, plugins, noted } = await setUp(t)
  const file = join(root, 'two/index.ts')
  await copyFile(file, `${file}.copy`)
  await rename(`${file}.copy`, file)
  const first = createProvenSources({ root, note, build: 'build', settledMs: 60_000 }, plugins)
  t.ok(first.has('one') && first.has('two'))
  await first.settled()
  t.equal(await noted(), null)
})
