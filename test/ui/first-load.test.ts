// slow: a browser, page by page
// The first load of every page of the navigation: few requests, of a new installation and of a filled one, and pictures
// only of what is in sight.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { AREAS } from '../../ui/app/paths.ts'
import { startFilled } from './filled.ts'
import { settled, startUi, type Ui } from './harness.ts'

const MOST_REQUESTS = 15
const QUIET_MS = 1_500
const PATIENCE_MS = 15_000
/** Pictures a little below the window are loaded as well. */
const MARGIN = 1_400
const PICTURE = /\/api\/pictures\/|\/art\//

// Pages of the navigation, and those that an empty service opens.
const source = await readFile(join(import.meta.dirname, '../../ui/app/navigation.ts'), 'utf8')
const ONLY = process.env['FIRST_LOAD_ONLY'] ?? ''
const paths = Object.entries(AREAS).flatMap(([area, [path]]) =>
  source.includes(`'${area}'`) || area === 'start' || (area === 'plays' && path.includes(ONLY)) ? [path] : [],
)

async function firstLoad(t: Test, ui: Ui, path: string): Promise<void> {
  const page = await ui.open(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await settled(page)
  const { requests } = page.recorded
  // Requests after the first view, such as that of the streams, count.
  let last = requests.length
  let changedAt = performance.now()
  for (const endsAt = changedAt + PATIENCE_MS; performance.now() < endsAt; await page.waitForTimeout(100)) {
    if (requests.length !== last) [last, changedAt] = [requests.length, performance.now()]
    if (performance.now() - changedAt > QUIET_MS) break
  }
  const pictures = requests.filter((one) => PICTURE.test(one))
  // A page that polls asks the same again.
  const rest = [...new Set(requests.filter((one) => !PICTURE.test(one)))]
  t.ok(rest.length <= MOST_REQUESTS, `${path}: ${rest.length}\n${rest.join('\n')}`)
  const seen = Number(
    await page.evaluate(
      `[...document.querySelectorAll('img')].filter((img) => /\\/api\\/pictures\\/|\\/art\\//.test(img.src) && img.getBoundingClientRect().top < innerHeight + ${MARGIN}).length`,
    ),
  )
  t.ok(new Set(pictures).size <= seen, `${path}: ${pictures.length} pictures, ${seen} near the window`)
  await page.context().close()
}

t.ok(paths.length > 20)

t.test('of a new installation', async (t) => {
  await using ui = await startUi()
  for (const path of paths) await firstLoad(t, ui, path)
})

t.test('with services, pairs, runs and a library', async (t) => {
  await using filled = await startFilled()
  await filled.service.json('/api/library?fresh=true')
  for (const path of paths) await firstLoad(t, filled.ui, path)
})
