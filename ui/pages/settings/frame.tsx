// Around each page of the settings: the places, as a list or as a select on narrow screens, and the tabs of the current one.
import { NavLink, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import type { PluginPageLink } from '../../app/plugin-pages.ts'
import { TabRow, type Tab } from '../../app/tab-row.tsx'
import { scrollInside } from '../../parts/page/scroll-inside.ts'
import { settings } from '../../texts/en/settings.ts'
import { whereIs, type Part, type Place, type PlaceGroup } from './places.ts'
import { useHasParts, usePlaces } from './use-places.ts'

export function SettingsMenu({ pluginPages }: { readonly pluginPages: readonly PluginPageLink[] }) {
  const [location] = useLocation()
  // The tabs of other pages need no answer of the service.
  const isAsked = /^\/(?:settings|plugin)/.test(location)
  const groups = usePlaces(pluginPages, isAsked)
  const hasParts = useHasParts(isAsked) || !isAsked
  const { place, part } = whereIs(groups, location)
  const parts = place?.parts ?? []
  const shown = part === undefined || parts.includes(part) ? parts : [...parts, part]
  // Its tabs are those of services.
  const isOpen = !hasParts && (place === undefined || place.id === 'services')
  return (
    <>
      <PlaceSelect groups={groups} current={place} />
      <PlaceList groups={groups} current={place} />
      {isOpen ? (
        <div className="tabs" aria-hidden>
          <span className="tab">{'\u00a0'}</span>
        </div>
      ) : place !== undefined && shown.length > 1 ? (
        <TabRow label={place.title} tabs={shown.map(toTab)} />
      ) : null}
    </>
  )
}

function toTab({ href, title, icon = null }: Part): Tab {
  return { href, label: title, icon, bases: href.startsWith('/settings/') ? [] : [href] }
}

interface ListProps {
  readonly groups: readonly PlaceGroup[]
  readonly current: Place | undefined
}

const firstOf = ({ parts }: Place) => (parts[0] as Part).href

function PlaceSelect({ groups, current }: ListProps) {
  const [, navigate] = useLocation()
  return (
    // Not the select of the library, with which the first load would be a fifth larger.
    <select
      className="settings-choice"
      aria-label={settings.sections}
      value={current === undefined ? '' : firstOf(current)}
      onChange={(event) => navigate(event.currentTarget.value)}
    >
      {groups.map(({ title, places }) => (
        <optgroup key={title} label={title}>
          {places.map((place) => (
            <option key={place.id} value={firstOf(place)}>
              {place.title}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}

function PlaceList({ groups, current }: ListProps) {
  const list = useRef<HTMLElement>(null)
  const here = useRef<HTMLAnchorElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current place stays in sight
  useEffect(() => {
    if (list.current !== null && here.current !== null) scrollInside(list.current, here.current)
  }, [current?.id])
  return (
    <nav ref={list} className="settings-list" aria-label={settings.sections}>
      {groups.map(({ title, places }) => (
        <div key={title} className="settings-group">
          <Text size="xs" c="dimmed" fw={600} px="sm" py="2xs">
            {title}
          </Text>
          {places.map((place) => (
            <NavLink
              key={place.id}
              ref={place.id === current?.id ? here : null}
              component={Link}
              href={firstOf(place)}
              label={place.title}
              active={place.id === current?.id}
              aria-current={place.id === current?.id ? 'page' : undefined}
              leftSection={<place.icon size={18} aria-hidden />}
              py="xs"
            />
          ))}
        </div>
      ))}
    </nav>
  )
}
