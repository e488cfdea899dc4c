// Every page with its visible content: with data, without data, and with 10,000 titles of 200 characters. A page about one
// object has an address with a parameter; without data, that object does not exist. The conditions tests open each page under
// one condition.
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { untilTrue } from '../demo/sign-in.ts'
import { shell } from '../../ui/texts/en/shell.ts'
import { overflow, type Ui } from './harness.ts'

interface Row {
  /** Visible content with data. Pages of plugins have none, because no shipped plugin has a page. */
  readonly filled?: string | RegExp
  /** Visible content on the first day, with the name of the button or link for the next step. */
  readonly empty?: string
  readonly next?: string
  /** Visible content with 10,000 titles of 200 characters. */
  readonly many?: string | RegExp
  /** The page requests only session data, so no data request can fail. */
  readonly needsNothing?: boolean
}

export const PAGES: Readonly<Record<string, Row>> = {
  '/': { filled: 'Run all pairs', empty: 'Get started', next: 'Get started', many: 'Trakt' },
  '/start': { filled: 'Connect two services', empty: 'Connect two services', next: 'Connect Jellyfin' },
  '/connections': { filled: 'Kitchen', empty: 'Connect your first service', next: 'Connect Jellyfin', many: 'Trakt' },
  '/connections/:provider': { filled: 'Add a profile', empty: 'Service not found', next: 'All connections' },
  '/pairs': { filled: 'Attic and cellar', empty: 'No pair yet', next: 'Connect a service' },
  '/pairs/new': {
    filled: 'What to sync',
    empty: 'Connect two services first',
    next: 'Connect a service',
    many: 'What to sync',
  },
  '/pairs/:id': { filled: 'What is synced', empty: 'Pair not found', next: 'All pairs' },
  '/plans/:id': { filled: 'Run the pair', empty: 'This plan no longer exists', next: 'Open pairs' },
  '/scrobbling': {
    filled: 'What is scrobbled',
    empty: 'Connect a media server and a tracker',
    next: 'Open connections',
  },
  '/runs': { filled: 'Cannot reach Emby', empty: 'No runs yet', next: 'Connect a service' },
  '/runs/:id': { filled: 'Not in your library', empty: 'This run no longer exists', next: 'Open runs' },
  '/schedule': { filled: 'Next run', empty: 'No pair to run', next: 'Connect a service' },
  '/continue': { filled: /^\d+ titles?$/, empty: 'Nothing to continue', next: 'Open connections' },
  '/watchlist': {
    filled: 'Your watchlist is empty',
    empty: 'Your watchlist is empty',
    next: 'Connect a service',
    many: /^10,000 titles/,
  },
  '/playlists': { filled: 'Sync a playlist', empty: 'No playlist is synced yet', next: 'Connect a service' },
  '/playlists/:id': { filled: 'Source', empty: 'This playlist is no longer synced', next: 'All playlists' },
  '/library': {
    filled: /^\d+ titles$/,
    empty: 'Your library is empty',
    next: 'Connect a service',
    many: '10,000 titles',
  },
  '/library/:key': { filled: 'On your services', empty: 'This title is not in your library', next: 'Open library' },
  '/history': {
    filled: /^\d+ plays$/,
    empty: 'Nothing watched yet',
    next: 'Connect a service',
    many: 'Nothing watched yet',
  },
  '/plays/add': {
    filled: 'What did you watch?',
    empty: 'What did you watch?',
    next: 'What did you watch?',
    needsNothing: true,
  },
  '/editor': { filled: 'Add an item', empty: 'No items', next: 'Add an item', many: 'Add an item' },
  '/anime': { filled: 'The anime mapping is off', empty: 'The anime mapping is off', next: 'Turn on and download' },
  '/statistics': {
    filled: 'Longest streak',
    empty: 'No statistics yet',
    next: 'Connect a service',
    many: 'No statistics yet',
  },
  '/events': { filled: /^\d+ items$/, empty: 'No events yet', next: 'Connect a service' },
  '/events/groups/:id': { filled: 'What happened', empty: 'These events no longer exist', next: 'Show all events' },
  '/events/item/:key': {
    filled: /^What was synced and watched/,
    empty: 'This title is not in your library',
    next: 'Open library',
  },
  '/import': { filled: 'What you can import', empty: 'What you can import', next: 'Choose a file' },
  '/import/:id': { filled: 'Compare', empty: 'Import not found', next: 'Choose a file' },
  '/export': { filled: 'Preview', empty: 'Nothing to export yet', next: 'Connect a service', many: 'Preview' },
  '/captures': { filled: 'New capture', empty: 'No captures yet', next: 'New capture', many: 'New capture' },
  '/captures/view?path=:path': { filled: 'Restore', empty: 'Capture not found', next: 'Open captures' },
  '/captures/compare?a=:path&b=:path': { filled: 'Swap', empty: 'Capture not found', next: 'Open captures' },
  '/captures/restore?path=:path': { filled: 'How to restore', empty: 'Capture not found', next: 'Open captures' },
  '/backups': { filled: 'Every night', empty: 'No backup yet', next: 'Back up now' },
  // Leads to the problems.
  '/analyzer': { filled: /to check|Nothing needs you/, empty: 'No matching problems', next: 'Show all problems' },
  '/problems': { filled: /needs? you|to check/, empty: 'Nothing to check yet', next: 'Connect a service' },
  '/maintenance': { filled: 'Event archive', empty: 'Event archive', next: 'Check' },
  '/notifications': { filled: 'No channel yet', empty: 'No channel yet', next: 'Add a channel' },
  '/plugins': { filled: 'No plugins added yet', empty: 'No plugins added yet', next: 'Add a plugin' },
  '/plugins/:id': { filled: 'Ships with Playhead', empty: 'Plugin not found', next: 'Show all plugins' },
  '/plugin-directory': { filled: 'Kodi', empty: 'Kodi', next: 'Install Kodi' },
  '/plugin-directory/:id': { empty: 'Plugin not found', next: 'Show the directory' },
  '/plugin-pages/:plugin/:page': { empty: 'Plugin not found', next: 'Show all plugins' },
  '/settings': { filled: 'API tokens', empty: 'API tokens', next: 'API tokens', needsNothing: true },
  '/help': { filled: 'Keyboard shortcuts', empty: 'Keyboard shortcuts', next: 'API reference', needsNothing: true },
  '/settings/tokens': { filled: 'Create token', empty: 'Create token', next: 'Create token' },
  '/settings/updates': { filled: 'Running version', empty: 'Running version', next: 'Check now' },
  '/settings/about': { filled: 'Health', empty: 'Health' },
  '/settings/sync': { filled: /^Save$/ },
  '/settings/:section': { empty: 'Settings not found', next: 'Open settings' },
}
export const PHONE = { viewport: { width: 360, height: 740 } }
export const DATA = /\/api\/(?!app-auth|stream)/
export const BUSY = `#content .mantine-Skeleton-root, #content [role=status][aria-label="${shell.loading}"]`
/** Content below the window loads when it is scrolled into view. */
const LOADED = `[...document.querySelectorAll('${BUSY}')].every((one) => {
  const { top, bottom } = one.getBoundingClientRect()
  return bottom < 0 || top > innerHeight
})`

/** An id that does not exist. */
export const NOTHING = 'deleted-1'

type Column = 'filled' | 'empty' | 'many'

/** Navigates without a page load, as a link does. */
export const follow = (page: Page, path: string) =>
  page.evaluate((to) => (globalThis as any).history.pushState(null, '', to), path)

export async function stands(t: Test, page: Page, path: string, seen: string | RegExp | undefined): Promise<void> {
  try {
    await page.getByRole('heading', { level: 1 }).waitFor()
    if (seen !== undefined) await page.locator('#content').getByText(seen).filter({ visible: true }).first().waitFor()
    await untilTrue('it ends to load', () => page.evaluate(LOADED))
  } catch (error) {
    t.fail(`${path}: ${String(seen)}: ${String(error).slice(0, 200)}`)
  }
  t.equal(await overflow(page), 0, `${path} is not wider than its window`)
}

/** The pages with this column, at their addresses: of an existing object, or of a missing one if there is no data. */
export function rowsOf(column: Column, addresses: readonly string[] = []): (readonly [path: string, row: Row])[] {
  return Object.entries(PAGES).flatMap(([pattern, row]) => {
    if (row[column] === undefined) return []
    if (column === 'empty' || !pattern.includes(':')) return [[addressOf(pattern, NOTHING), row] as const]
    const form = new RegExp(`^${pattern.split(/:\w+/).map(RegExp.escape).join('(?!new$)[^/]+')}$`)
    const path = addresses.find((one) => form.test(one))
    if (path === undefined) throw new Error(`${pattern} has no address`)
    return [[path, row] as const]
  })
}

/** The address of a page about one object. */
export const addressOf = (pattern: string, value: string) => pattern.replaceAll(/:\w+/g, value)

export const isClean = (t: Test, { recorded }: Awaited<ReturnType<Ui['open']>>) =>
  t.same(recorded.errors, [], 'the console has no error')
