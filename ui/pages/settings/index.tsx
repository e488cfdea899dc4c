// Settings: the overview, or one page. The menu around it is in `frame.tsx`.
import { Suspense, type ComponentType } from 'react'
import { Redirect } from 'wouter'
import { useDrawn } from '../../api/drawn.ts'
import type { PageProps } from '../../app/page-props.ts'
import { Absent } from '../../parts/page/absent.tsx'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { settings } from '../../texts/en/settings.ts'
import { shell } from '../../texts/en/shell.ts'
import { Overview } from './overview.tsx'
import { elsewhere } from './elsewhere.ts'
import { isFixedPage, type FixedPage } from './places.ts'
import { useHasParts, usePlaces, useSections } from './use-places.ts'

const PIECES: Readonly<Record<FixedPage, ComponentType>> = {
  account: lazyPart(() => import('./access/account.tsx')),
  sessions: lazyPart(() => import('./access/sessions.tsx')),
  tokens: lazyPart(() => import('./access/tokens.tsx')),
  'single-sign-on': lazyPart(() => import('./access/single-sign-on.tsx')),
  tls: lazyPart(() => import('./access/tls.tsx')),
  services: lazyPart(() => import('./services.tsx')),
  updates: lazyPart(() => import('./system/updates.tsx')),
  logs: lazyPart(() => import('./logs/logs.tsx')),
  support: lazyPart(() => import('./system/support.tsx')),
  about: lazyPart(() => import('./system/about.tsx')),
}
const SectionPage = lazyPart(() => import('./section-page.tsx'))

export default function Settings({ params }: PageProps) {
  const id = params['section']
  const sections = useSections()
  const groups = usePlaces()
  const hasParts = useHasParts(true)
  const isDrawn = useDrawn(sections.data) !== undefined

  if (id === undefined)
    return (
      <Page title={shell.pages.settings} text={settings.intro}>
        <Overview groups={groups} isLoading={!hasParts} />
      </Page>
    )
  if (isFixedPage(id)) return <Fixed id={id} />
  const other = sections.data?.sections.find(({ path }) => path === id)
  const address = other === undefined ? undefined : elsewhere(other)
  if (address !== undefined) return <Redirect to={address} replace />
  const part = groups
    .flatMap(({ places }) => places.flatMap(({ parts, others }) => [...parts, ...others]))
    .find((one) => one.id === id)
  const section = part?.section
  return (
    <Page title={part?.title ?? shell.pages.settings} text={isDrawn ? (part?.text ?? undefined) : undefined}>
      <Suspense fallback={<Loading rows={4} />}>
        <QueryView
          query={sections}
          isEmpty={() => section === undefined}
          empty={<Absent {...settings.unknown} href="/settings" />}
        >
          {() => (section === undefined ? null : <SectionPage key={section.path} section={section} />)}
        </QueryView>
      </Suspense>
    </Page>
  )
}

function Fixed({ id }: { readonly id: FixedPage }) {
  const Piece = PIECES[id]
  return (
    <Page title={settings.pages[id].title} text={settings.pages[id].text}>
      <Suspense fallback={<Loading rows={4} />}>
        <Piece />
      </Suspense>
    </Page>
  )
}
