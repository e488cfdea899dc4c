// Around each page: the tabs of its door, or the menu of the settings.
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { SettingsMenu } from '../pages/settings/frame.tsx'
import type { Door } from './navigation.ts'
import type { PluginPageLink } from './plugin-pages.ts'
import { TabRow } from './tab-row.tsx'

interface DoorFrameProps {
  readonly door: Door | undefined
  readonly pages: readonly PluginPageLink[]
  readonly children: ReactNode
}

export function DoorFrame({ door, pages, children }: DoorFrameProps) {
  const [location] = useLocation()
  // The overview of the settings is a menu already.
  const hasMenu = door?.id === 'settings' && location !== door.href
  return (
    // The page keeps its place between the elements, so that it stays mounted from door to door.
    <div className={hasMenu ? 'door-frame settings' : 'door-frame'}>
      {hasMenu ? (
        <SettingsMenu pluginPages={pages} />
      ) : door === undefined ? null : (
        <DoorTabs door={door} pages={pages} />
      )}
      {children}
    </div>
  )
}

function DoorTabs({ door, pages }: { readonly door: Door; readonly pages: readonly PluginPageLink[] }) {
  const tabs = [
    ...door.tabs.map(({ title, paths, load }) => ({
      href: paths[0] as string,
      label: title,
      bases: paths.map((path) => `/${path.split('/')[1]}`),
      load,
    })),
    ...pages.filter(({ kind }) => door.kinds.some((one) => one === kind)),
  ]
  return tabs.length < 2 || door.id === 'settings' ? null : <TabRow label={door.title} tabs={tabs} />
}
