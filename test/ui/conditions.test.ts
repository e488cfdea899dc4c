// Every page with data: on a phone, from left and from right, in German, and when each request for data fails. A row is a page
// with what a person sees there.
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { untilTrue } from '../demo/sign-in.ts'
import german from '../../ui/texts/de/index.ts'
import { textsOf } from '../../ui/list-texts.ts'
import { shell } from '../../ui/texts/en/shell.ts'
import { startFilled } from './filled.ts'
import { overflow, type Ui } from './harness.ts'

interface Row {
  /** What stands there with data. */
  readonly filled: string | RegExp
  /** It asks only for what the session knows, so it has no data that could fail. */
  readonly needsNothing?: boolean
}

const AGAIN = /^(?:Try again|All pairs|All runs)$/
const PAGES: Readonly<Record<string, Row>> = {
  '/': { filled: 'Run all pairs' },
  '/start': { filled: 'Connect two services' },
  '/connections': { filled: 'Kitchen' },
  '/connections/:provider': { filled: 'Add a profile' },
  '/pairs': { filled: 'Attic and cellar' },
  '/pairs/new': { filled: 'What to sync' },
  '/pairs/:id': { filled: 'What is synced' },
  '/plans/:id': { filled: 'Run the pair' },
  '/scrobbling': { filled: 'What is followed' },
  '/runs': { filled: 'Partly synced' },
  '/runs/:id': { filled: 'Not in your library' },
  '/schedule': { filled: 'Next run' },
  '/continue': { filled: /^\d+ titles?$/ },
  '/watchlist': { filled: 'Your watchlist is empty' },
  '/playlists': { filled: 'Sync a playlist' },
  '/library': { filled: /^\d+ titles$/ },
  '/library/:key': { filled: 'On your services' },
  '/history': { filled: /^\d+ plays$/ },
  '/plays/add': { filled: 'What did you watch?', needsNothing: true },
  '/editor': { filled: 'Add a row' },
  '/anime': { filled: 'The anime mapping is off' },
  '/statistics': { filled: 'Longest streak' },
  '/events': { filled: /^\d+ items$/ },
  '/events/groups/:id': { filled: 'What happened' },
  '/events/item/:key': { filled: 'Where it is now' },
  '/import': { filled: 'What you can import' },
  '/export': { filled: 'Preview' },
  '/captures': { filled: 'New capture' },
  '/backups': { filled: 'Every night' },
  '/analyzer': { filled: 'Missing at a peer' },
  '/maintenance': { filled: 'Event archive' },
  '/notifications': { filled: 'No channel yet' },
  '/plugins': { filled: 'Accounts and profiles' },
  '/plugins/:id': { filled: 'Ships with Playhead' },
  '/settings': { filled: 'API tokens', needsNothing: true },
  '/settings/tokens': { filled: 'Create token' },
  '/settings/updates': { filled: 'Running version' },
  '/settings/about': { filled: 'Health' },
  '/settings/sync': { filled: /^Save$/ },
}
const ENGLISH = join(import.meta.dirname, '../../ui/texts/en')
const PHONE = { viewport: { width: 360, height: 740 } }
const DATA = /\/api\/(?!app-auth|stream)/
const BUSY = `#content .mantine-Skeleton-root, #content [role=status][aria-label="${shell.loading}"]`
/** What stands below the window is read when a person gets there. */
const LOADED = `[...document.querySelectorAll('${BUSY}')].every((one) => {
  const { top, bottom } = one.getBoundingClientRect()
  return bottom < 0 || top > innerHeight
})`

/** Without loading the application again, as by a link. */
const follow = (page: Page, path: string) =>
  page.evaluate((to) => (globalThis as any).history.pushState(null, '', to), path)

async function stands(t: Test, page: Page, path: string, seen: string | RegExp | undefined): Promise<void> {
  try {
    await page.getByRole('heading', { level: 1 }).waitFor()
    if (seen !== undefined) await page.locator('#content').getByText(seen).filter({ visible: true }).first().waitFor()
    await untilTrue('it ends to load', () => page.evaluate(LOADED))
  } catch (error) {
    t.fail(`${path}: ${String(seen)}: ${String(error).slice(0, 200)}`)
  }
  t.equal(await overflow(page), 0, `${path} is not wider than its window`)
}

/** Each row at its address. */
function rowsAt(addresses: readonly string[]): (readonly [path: string, row: Row])[] {
  return Object.entries(PAGES).flatMap(([pattern, row]) => {
    const form = new RegExp(`^${pattern.replace(/:\w+/, '(?!new$)[^/]+')}$`)
    const path = pattern.includes(':') ? addresses.find((one) => form.test(one)) : pattern
    return path === undefined ? [] : [[path, row] as const]
  })
}

const isClean = (t: Test, { recorded }: Awaited<ReturnType<Ui['open']>>) =>
  t.same(recorded.errors, [], 'the console has no error')

t.test('with data', async (t) => {
  await using filled = await startFilled()
  const { ui, service, paths } = filled
  const rows = rowsAt(paths)
  t.equal(rows.length, Object.keys(PAGES).length, 'every row has an address')

  await t.test('every page shows it, from left and from right', async (t) => {
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

  await t.test('a service that fails: an alert says the next step, which works once the service does', async (t) => {
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
