// The pages of a door, or of a place in the settings, as a row of links that scrolls on a phone.
import { Suspense, useEffect, useRef, type ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { lazyPart } from '../parts/page/lazy-part.ts'
import { scrollInside } from '../parts/page/scroll-inside.ts'

export interface Tab {
  readonly href: string
  readonly label: string
  /** The tab is current at these addresses and below them. Only its own address if there are none. */
  readonly bases?: readonly string[]
  /** A common Tabler icon by its name, as in the manifests of plugins. */
  readonly icon?: string | null
  readonly load?: () => unknown
}

const PluginIcon = lazyPart(() => import('./plugin-icon.tsx'))
/** The parameters with which a page was left, by its address: its tab leads back to them. */
const leftWith = new Map<string, string>()

export function TabRow({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const [location] = useLocation()
  const search = useSearch()
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    leftWith.set(location, search)
  }, [location, search])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab of the page stays in sight
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current]')
    if (row.current !== null && current != null) scrollInside(row.current, current)
  }, [location, tabs.length])
  return (
    <nav ref={row} className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.href}
          href={addressOf(tab.href, location)}
          className="tab"
          aria-current={isAt(tab, location) ? 'page' : undefined}
          onMouseEnter={() => void tab.load?.()}
          onFocus={() => void tab.load?.()}
        >
          {iconOf(tab)}
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}

function isAt({ href, bases = [] }: Tab, location: string): boolean {
  return location === href || bases.some((base) => location === base || location.startsWith(`${base}/`))
}

function addressOf(href: string, location: string): string {
  const search = href === location ? '' : (leftWith.get(href) ?? '')
  return search === '' ? href : `${href}?${search}`
}

function iconOf({ icon }: Tab): ReactNode {
  if (icon == null) return null
  return (
    <Suspense>
      <PluginIcon name={icon} />
    </Suspense>
  )
}
