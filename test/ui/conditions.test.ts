// slow: a browser, step by step
// Every page with data: on a phone, left-to-right and right-to-left, in German, and with each data request failing. One row per
// page, with its visible content.
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import german from '../../ui/texts/de/index.ts'
import { textsOf } from '../../ui/list-texts.ts'
import { DATA, follow, isClean, PHONE, rowsOf, stands } from './conditions.ts'
import { startFilled } from './filled.ts'

const AGAIN = /^(?:Try again|All pairs|All runs)$/
const ENGLISH = join(import.meta.dirname, '../../ui/texts/en')

t.test('pages with data', async (t) => {
  await using filled = await startFilled()
  const { ui, service, paths } = filled
  const rows = rowsOf('filled', paths)

  await t.test('every page shows its content, left-to-right and right-to-left', async (t) => {
    const page = await ui.open('/', PHONE)
    for (const direction of ['ltr', 'rtl']) {
      await page.evaluate((dir) => ((globalThis as any).document.documentElement.dir = dir), direction)
      for (const [path, row] of rows) {
        await follow(page, path)
        await stands(t, page, `${path} ${direction}`, row.filled)
      }
    }
    isClean(t, page)
    t.same(page.recorded.failed, [])
    await page.context().close()
  })

  await t.test('in German no sentence is English', async (t) => {
    const names = new Map(textsOf(german))
    const texts: (readonly [name: string, text: string])[] = []
    for await (const file of glob('*.ts', { cwd: ENGLISH })) texts.push(...textsOf(await import(join(ENGLISH, file))))
    const foreign = new Set(texts.flatMap(([name, text]) => (names.get(name) === text ? [] : [text])))
    const page = await ui.open('/', { ...PHONE, locale: 'de-DE' })
    for (const [path] of rows) {
      await follow(page, path)
      await stands(t, page, path, undefined)
      const lines = (await page.locator('#content').innerText()).split('\n')
      t.same(
        lines.filter((line) => foreign.has(line) && line.split(' ').length > 2),
        [],
        path,
      )
    }
    isClean(t, page)
    await page.context().close()
  })

  await t.test('a failing service shows an alert with a next step, which works once the service does', async (t) => {
    const page = await ui.open('/', PHONE)
    for (const [path, row] of rows.filter(([, { needsNothing }]) => needsNothing !== true)) {
      await page.route(DATA, (route) =>
        route.fulfill({ status: 500, contentType: 'application/json', body: '{"ok":false,"error":"internal_error"}' }),
      )
      await page.goto(service.url + path)
      const alert = page.locator('#content').getByRole('alert').filter({ visible: true }).first()
      const step = alert
        .getByRole('button', { name: AGAIN })
        .or(alert.getByRole('link', { name: AGAIN }))
        .first()
      await stands(t, page, path, AGAIN)
      t.ok(await step.isVisible(), `${path} offers a next step`)
      await page.unroute(DATA)
      for (const one of await page.locator('#content').getByRole('button', { name: 'Try again' }).all())
        await one.click({ timeout: 1_000 }).catch(() => undefined)
      await stands(t, page, `${path}, again`, row.filled)
    }
    isClean(t, page)
    await page.context().close()
  })
})
