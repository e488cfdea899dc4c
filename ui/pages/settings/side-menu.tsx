// Navigation between settings pages: a list, or a select on narrow screens.
import { NativeSelect, NavLink, ScrollArea, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { scrollInside } from '../../parts/page/scroll-inside.ts'
import { settings } from '../../texts/en/settings.ts'
import { shell } from '../../texts/en/shell.ts'
import { addressOf, type MenuGroup } from './menu.ts'

export function SideMenu({ groups, current }: { readonly groups: readonly MenuGroup[]; readonly current: string }) {
  const [, navigate] = useLocation()
  const viewport = useRef<HTMLDivElement>(null)
  const here = useRef<HTMLAnchorElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list grows when the sections are loaded
  useEffect(() => {
    if (viewport.current !== null && here.current !== null) scrollInside(viewport.current, here.current)
  }, [current, groups.length])
  const isKnown = groups.some(({ entries }) => entries.some(({ id }) => id === current))
  return (
    <>
      <NativeSelect
        className="settings-choice"
        aria-label={settings.sections}
        value={current}
        onChange={(event) => navigate(addressOf(event.currentTarget.value))}
        data={[
          // An unknown page must not look like the first page, which could then not be selected.
          ...(isKnown ? [] : [{ value: current, label: shell.pages.settings }]),
          ...groups.map(({ title, entries }) => ({
            group: title,
            items: entries.map(({ id, title: label }) => ({ value: id, label })),
          })),
        ]}
      />
      <nav className="settings-list" aria-label={settings.sections}>
        <ScrollArea.Autosize
          viewportRef={viewport}
          mah="calc(100dvh - 6rem)"
          type="hover"
          viewportProps={{ tabIndex: -1 }}
        >
          {groups.map(({ title, entries }) => (
            <div key={title} className="settings-group">
              <Text size="xs" c="dimmed" fw={600} px="sm" py={4}>
                {title}
              </Text>
              {entries.map(({ id, title: label, icon: Icon }) => (
                <NavLink
                  key={id}
                  ref={id === current ? here : null}
                  component={Link}
                  href={addressOf(id)}
                  label={label}
                  active={id === current}
                  aria-current={id === current ? 'page' : undefined}
                  leftSection={<Icon size={18} aria-hidden />}
                  py={6}
                />
              ))}
            </div>
          ))}
        </ScrollArea.Autosize>
      </nav>
    </>
  )
}
