// Runs the test files in PLAYHEAD_TEST_FILES one after the other, in this process. Not by arguments, because tap derives folder
// names from them.
import { join, resolve } from 'node:path'
import t from 'tap'
import { endFile, startGroup } from '../at-end-of-file.ts'
import { processorSeconds, processorSecondsOfChildren } from './processor-time.ts'
import { tearDownBeforeRemoving } from './teardown-order.ts'
import { reportUncaught } from './uncaught.ts'

const TO_CLOSE_MS = 20_000
const ROOT = join(import.meta.dirname, '..', '..')

const files = (process.env['PLAYHEAD_TEST_FILES'] ?? '').split(' ')
delete process.env['PLAYHEAD_TEST_FILES']

startGroup()
reportUncaught(t)
t.on('subtestStart', tearDownBeforeRemoving)
// A test may wait for something that keeps no process, such as the timer of a product.
const kept = setInterval(() => {}, 60_000)
// Files set it for themselves alone; a group takes as long as its files.
t.setTimeout(0)
for (const file of files) {
  t.comment(`file: ${file}`)
  const before = spent()
  const environment = { ...process.env }
  try {
    await import(resolve(ROOT, file))
  } catch (error) {
    t.fail(`${file} cannot be loaded`, { error })
  }
  // Unbuffered: it runs after all tests of the file, also where the file runs them side by side.
  await t.test(`${file} ends, and leaves the environment as it was`, { buffered: false }, async (t) => {
    await endFile()
    t.same({ ...process.env }, environment)
  })
  // Ends the limit that the file set for its own tests.
  t.setTimeout(0)
  t.jobs = 1
  t.comment(`spent: ${(spent() - before).toFixed(2)} s, ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB, ${file}`)
}
clearInterval(kept)
t.end()
// A test that failed may have left a server or a host open, which keeps the process.
setTimeout(() => {
  process.stderr.write(`Still open after the last test: ${process.getActiveResourcesInfo().join(', ')}\n`)
  process.exit(1)
}, TO_CLOSE_MS).unref()

function spent(): number {
  const children = processorSecondsOfChildren()
  return processorSeconds() + (Number.isNaN(children) ? 0 : children)
}
