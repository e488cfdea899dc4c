// Settings: the overview, or one page with a menu.
import { Suspense, useMemo, type ComponentType } from 'react'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import type { PageProps } from '../../app/page-props.ts'
import { Absent } from '../../parts/page/absent.tsx'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { settings } from '../../texts/en/settings.ts'
import { shell } from '../../texts/en/shell.ts'
import { isFixedPage, menuOf, type FixedPage, type MenuEntry } from './menu.ts'
import { Overview } from './overview.tsx'
import { SideMenu } from './side-menu.tsx'

const PIECES: Readonly<Record<FixedPage, ComponentType>> = {
  account: lazyPart(() => import('./access/account.tsx')),
  sessions: lazyPart(() => import('./access/sessions.tsx')),
  tokens: lazyPart(() => import('./access/tokens.tsx')),
  'single-sign-on': lazyPart(() => import('./access/single-sign-on.tsx')),
  tls: lazyPart(() => import('./access/tls.tsx')),
  updates: lazyPart(() => import('./system/updates.tsx')),
  logs: lazyPart(() => import('./logs/logs.tsx')),
  support: lazyPart(() => import('./system/support.tsx')),
  about: lazyPart(() => import('./system/about.tsx')),
}
const SectionPage = lazyPart(() => import('./section-page.tsx'))

function connectedIn(all: Answer<'GET /api/connections'>['connections']): ReadonlySet<string> {
  return new Set(all.filter(({ profiles }) => profiles.some(({ configured }) => configured)).map(({ token }) => token))
}

export default function Settings({ params }: PageProps) {
  const section = params['section']
  const sections = useRead(['settings', 'sections'], 'GET /api/config/sections', undefined, { staleTime: 60_000 })
  const connections = useRead(['connections'], 'GET /api/connections', undefined, { staleTime: 60_000 })
  const connected = useMemo(() => connectedIn(connections.data?.connections ?? []), [connections.data])
  const groups = useMemo(() => menuOf(sections.data?.sections ?? [], connected), [sections.data, connected])
  const entries = useMemo(
    () => menuOf(sections.data?.sections ?? []).flatMap((group) => group.entries),
    [sections.data],
  )

  if (section === undefined)
    return (
      <Page title={shell.pages.settings} text={settings.intro}>
        <Overview groups={groups} isLoading={sections.data === undefined && sections.error === null} />
      </Page>
    )
  const entry = entries.find(({ id }) => id === section)
  const title = entry?.title ?? (isFixedPage(section) ? settings.pages[section].title : shell.pages.settings)
  return (
    <div className="settings">
      <SideMenu groups={groups} current={section} />
      <Page
        title={title}
        text={entry?.text ?? undefined}
        breadcrumbs={[{ title: shell.pages.settings, href: '/settings' }]}
      >
        <Suspense fallback={<Loading rows={4} />}>
          {isFixedPage(section) ? (
            <Fixed id={section} />
          ) : (
            <QueryView
              query={sections}
              isEmpty={() => entry?.section === undefined}
              empty={<Absent {...settings.unknown} href="/settings" />}
            >
              {() => <Configured entry={entry as MenuEntry} />}
            </QueryView>
          )}
        </Suspense>
      </Page>
    </div>
  )
}

function Fixed({ id }: { readonly id: FixedPage }) {
  const Piece = PIECES[id]
  return <Piece />
}

function Configured({ entry: { section } }: { readonly entry: MenuEntry }) {
  return section === undefined ? null : <SectionPage key={section.path} section={section} />
}
