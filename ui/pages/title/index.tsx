// One title: picture, its state at each service, plays, unsynced items and changes.
import { Badge, Box, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, Suspense, useState } from 'react'
import { Redirect } from 'wouter'
import { at } from '../../api/base.ts'
import { useRead } from '../../api/query.ts'
import type { PageProps } from '../../app/page-props.ts'
import { PlayList } from '../../parts/titles/play-list.tsx'
import { eventsAddress, pictureOf } from '../../parts/titles/pictures.ts'
import { askAgain, timeZone } from '../../parts/titles/ask-again.ts'
import { idsIn, type Stop, useStop } from '../../parts/titles/stopped.ts'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { isAbsent } from '../../parts/page/absent.tsx'
import { Page } from '../../parts/page/page.tsx'
import { useDrawn } from '../../api/drawn.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { useNamed } from '../../parts/values/names.ts'
import { PosterImage } from '../../parts/values/poster-image.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { library } from '../../texts/en/library.ts'
import { shell } from '../../texts/en/shell.ts'
import { titlePage as texts } from '../../texts/en/title.ts'
import { say } from '../../texts/say.ts'
import { About } from './about.tsx'
import { Actions, namesOf } from './actions.tsx'
import { EVENTS, TitleEvents, useTitleEvents } from './events.tsx'
import { Gone } from './gone.tsx'
import { Matrix } from './matrix.tsx'
import { NotSynced } from './not-synced.tsx'
import { Seasons } from './seasons.tsx'
import { Stopped } from './stopped.tsx'
import type { TitleData } from './data.ts'

const StopSync = lazyPart(() => import('../../parts/titles/stop-sync.tsx'))

const SHOWN_PLAYS = 8

export default function TitleRoute({ path, params }: PageProps) {
  const key = params['key'] as string
  return path === '/events/item/:key' ? <Redirect to={eventsAddress(key)} replace /> : <TitlePage itemKey={key} />
}

function TitlePage({ itemKey: key }: { readonly itemKey: string }) {
  const read = useRead(
    ['library', 'title', key],
    'GET /api/library/{key}',
    { params: { key }, query: { tz: timeZone } },
    { refetchInterval: askAgain },
  )
  const query = useNamed(read)
  const crumbs = [{ title: shell.pages.library, href: '/library' }]
  const { error } = query
  const data = useDrawn(query.data)
  if (isAbsent(error)) return <Gone itemKey={key} />
  const name =
    data !== undefined ? data.title || library.untitled : error === null ? shell.loading : shell.pages.library
  return (
    <Page title={data === undefined ? name : headingOf(data)} breadcrumbs={crumbs} hasOwnHeading={data !== undefined}>
      <QueryView query={query} rows={8}>
        {(title) => <Content title={title} />}
      </QueryView>
    </Page>
  )
}

function headingOf({ title, year }: TitleData): string {
  const name = title || library.untitled
  return year == null ? name : `${name} (${year})`
}

interface HeadProps {
  readonly title: TitleData
  /** Undefined while it is not known. */
  readonly stop: Stop | null | undefined
  readonly onStop: () => void
}

function Content({ title }: { readonly title: TitleData }) {
  const { latest_plays: plays } = title
  const stop = useStop(title.names)
  const { data: episodes } = useRead(
    ['library', 'title', title.key, 'episodes'],
    'GET /api/library/{key}/episodes',
    { params: { key: title.key } },
    { enabled: title.kind === 'show' },
  )
  const { data: pages } = useRead(['library', 'title', title.key, 'pages'], 'GET /api/library/{key}/pages', {
    params: { key: title.key },
  })
  const events = useTitleEvents([...new Set([title.key, ...idsIn(title.names)])])
  const [isStopping, setStopping] = useState(false)
  return (
    <Stack gap="lg">
      {stop == null ? null : <Stopped title={title} stop={stop} onChange={() => setStopping(true)} />}
      <Head title={title} stop={stop} onStop={() => setStopping(true)} />
      {isStopping ? (
        <Suspense fallback={null}>
          <StopSync
            target={{ names: namesOf(title), title: title.title || library.untitled, year: title.year }}
            stop={stop ?? undefined}
            onClose={() => setStopping(false)}
          />
        </Suspense>
      ) : null}
      <Part title={texts.services} text={texts.servicesText}>
        <Matrix title={title} aired={episodes?.aired ?? null} pages={pages?.pages ?? []} />
      </Part>
      {title.not_synced.length === 0 ? null : (
        <Part title={texts.notSynced} text={texts.notSyncedText}>
          <NotSynced title={title} />
        </Part>
      )}
      <SimpleGrid cols={{ base: 1, md: plays.length > 0 && title.seasons.length > 0 ? 2 : 1 }} spacing="lg">
        {plays.length === 0 ? null : (
          <Part title={texts.latest}>
            <PlayList plays={plays.slice(0, SHOWN_PLAYS)} />
          </Part>
        )}
        {title.seasons.length === 0 ? null : (
          <Part title={texts.seasons}>
            <Seasons title={title} known={episodes} />
          </Part>
        )}
      </SimpleGrid>
      {/* An address that ends in #events leads there once the events can be seen. */}
      <Part title={texts.events} text={texts.eventsText} id={events.rows === undefined ? undefined : EVENTS}>
        <TitleEvents list={events} />
      </Part>
      <Part title={texts.ids}>
        <Group gap="xs">
          {Object.entries(title.ids).map(([scheme, id]) => (
            <Badge key={scheme} variant="light" color="gray" tt="none" fw={500}>
              {scheme} {id}
            </Badge>
          ))}
        </Group>
      </Part>
    </Stack>
  )
}

function Head({ title, ...stopping }: HeadProps) {
  const backdrop = pictureOf(title, 1280, 'backdrop')
  const name = title.title || library.untitled
  return (
    <Paper withBorder className="title-head" component="section" aria-label={name}>
      {backdrop === null ? null : <img className="title-backdrop" src={at(backdrop)} alt="" decoding="async" />}
      <Box p={{ base: 'md', sm: 'xl' }} className="title-front">
        <Box className="title-poster">
          <PosterImage src={pictureOf(title, 342)} title={name} />
        </Box>
        <Stack gap="xs" className="title-facts">
          <Title order={1} size="h2" dir="auto">
            {headingOf(title)}
          </Title>
          <Group gap="xs">
            <Badge variant="light">{texts.kinds[title.kind as 'movie' | 'show']}</Badge>
            {title.anime ? <Badge variant="light">{texts.anime}</Badge> : null}
            {title.rating === null ? null : (
              <Badge variant="light" color="yellow" tt="none">
                {say(texts.rating, { n: title.rating })}
              </Badge>
            )}
            {title.progress === null ? null : (
              <Badge variant="light" color="gray" tt="none">
                {say(texts.progress, { n: Math.round(title.progress) })}
              </Badge>
            )}
          </Group>
          <Text component="div">
            {title.kind === 'show' && title.episodes > 0
              ? say(texts.episodes, { n: title.episodes })
              : title.plays > 0
                ? say(texts.plays, { n: title.plays })
                : title.last_watched === null
                  ? texts.neverWatched
                  : null}
          </Text>
          {title.last_watched === null ? null : (
            <Text size="sm" c="dimmed" component="div">
              {texts.last} <TimeText at={title.last_watched} />
            </Text>
          )}
        </Stack>
        <Stack gap="sm" className="title-more">
          <About title={title} />
          <Actions title={title} {...stopping} />
        </Stack>
      </Box>
    </Paper>
  )
}

function Part({
  title,
  text,
  id,
  children,
}: {
  readonly id?: string
  readonly title: string
  readonly text?: string
  readonly children: ReactNode
}) {
  return (
    <Paper
      component="section"
      withBorder
      p="md"
      aria-label={title}
      miw={0}
      {...(id === undefined ? {} : { id, tabIndex: -1 })}
    >
      <Title order={2} size="h4">
        {title}
      </Title>
      {text === undefined ? null : (
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      )}
      <Box mt="sm">{children}</Box>
    </Paper>
  )
}
