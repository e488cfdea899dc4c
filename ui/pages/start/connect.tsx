// Setup guide: connect two services.
import { Anchor, Button, Group, Modal, Paper, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconArrowRight, IconPlugConnected, IconPuzzle, IconSearch } from '@tabler/icons-react'
import { Suspense, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { foldText } from '../../../sdk/items/text.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { Loading } from '../../parts/page/loading.tsx'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { PopularRecipes } from '../../parts/recipes/popular.tsx'
import { useRecipes } from '../../parts/recipes/recipes.ts'
import { useManifests } from '../../parts/sign-in/manifests.ts'
import { useOpenAhead } from '../../parts/sign-in/window.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { start } from '../../texts/en/start.ts'
import { serviceText } from '../../texts/service-text.ts'
import { say } from '../../texts/say.ts'
import type { GoTo, Place } from './steps.ts'

type Service = Answer<'GET /api/sync/providers'>[number]

const { connect: texts } = start
const NEEDED = 2
const SEARCH_FROM = 7
const SignIn = lazyPart(
  () => import('../../parts/sign-in/index.tsx'),
  (module) => module.SignIn,
)

export function ConnectStep({ goTo }: { readonly place: Place; readonly goTo: GoTo }) {
  const query = useRead(['pairs', 'providers'], 'GET /api/sync/providers')
  const { data, isPending } = useRecipes()
  // Together: what comes later would push the services down. A second reader of either query, shown only when both have ended,
  // would start a failed one again, and with it this wait.
  if (isPending || query.isPending) return <Loading rows={5} />
  return (
    <>
      <PopularRecipes recipes={data?.recipes ?? []} />
      <Text c="dimmed">{texts.text}</Text>
      <QueryView
        query={query}
        rows={5}
        isEmpty={(list) => list.length === 0}
        empty={
          <EmptyState
            icon={IconPuzzle}
            title={texts.none}
            text={texts.noneText}
            action={
              <Button component={Link} href="/plugins">
                {texts.nonePlugins}
              </Button>
            }
          />
        }
      >
        {(services) => <Services services={services} onGo={() => goTo({ step: 'choose' })} />}
      </QueryView>
    </>
  )
}

function Services({ services, onGo }: { readonly services: readonly Service[]; readonly onGo: () => void }) {
  const client = useQueryClient()
  const [search, setSearch] = useState('')
  const [open, setOpen] = useState<Service | null>(null)
  const connected = services.reduce(
    (sum, { instances }) => sum + instances.filter(({ configured }) => configured).length,
    0,
  )
  const missing = Math.max(0, NEEDED - connected)
  const builtIn = useBuiltIn()
  const openAhead = useOpenAhead()
  const shown = services.filter(({ label }) => foldText(label).includes(foldText(search).trim())).toSorted(byPopularity)
  const [own, others] = [shown.filter(({ name }) => builtIn.has(name)), shown.filter(({ name }) => !builtIn.has(name))]
  const isSearching = search.trim() !== ''
  const cards = (list: readonly Service[]) => (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {list.map((service) => (
        <ServiceCard
          key={service.name}
          service={service}
          isBuiltIn={builtIn.has(service.name)}
          onConnect={() => {
            openAhead(service.name)
            setOpen(service)
          }}
        />
      ))}
    </SimpleGrid>
  )

  async function onDone({ label }: Service) {
    setOpen(null)
    notifyDone(say(texts.done, { name: label }))
    await Promise.all([
      client.invalidateQueries({ queryKey: ['pairs', 'providers'] }),
      client.invalidateQueries({ queryKey: ['connections'] }),
    ])
  }

  return (
    <Stack>
      {services.length < SEARCH_FROM ? null : (
        <TextInput
          label={texts.search}
          leftSection={<IconSearch size={16} aria-hidden />}
          type="search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          maw={360}
        />
      )}
      {shown.length === 0 ? <Text c="dimmed">{texts.noMatch}</Text> : null}
      {cards(isSearching ? others : others.filter(({ popular, configured }) => configured || popular !== null))}
      {isSearching || others.every(({ popular, configured }) => configured || popular !== null) ? null : (
        <>
          <Title order={3} size="h5">
            {texts.others}
          </Title>
          {cards(others.filter(({ popular, configured }) => !configured && popular === null))}
        </>
      )}
      {own.length === 0 ? null : (
        <>
          <div>
            <Title order={3} size="h5">
              {texts.builtIn}
            </Title>
            <Text size="sm" c="dimmed">
              {texts.builtInText}
            </Text>
          </div>
          {cards(own)}
        </>
      )}
      <Group justify="space-between" className="wizard-bar">
        <Text c="dimmed" role="status">
          {missing > 0 ? say(texts.more, { n: missing }) : texts.enough}
        </Text>
        <Button rightSection={<IconArrowRight size={16} aria-hidden />} disabled={missing > 0} onClick={onGo}>
          {texts.go}
        </Button>
      </Group>
      <Modal
        opened={open !== null}
        onClose={() => setOpen(null)}
        title={open === null ? '' : say(texts.connectTo, { name: open.label })}
        size="lg"
      >
        {open === null ? null : (
          <Suspense fallback={<Loading rows={3} />}>
            <SignIn provider={open.name} onDone={() => void onDone(open)} onCancel={() => setOpen(null)} />
          </Suspense>
        )}
      </Modal>
    </Stack>
  )
}

// Services without a sign-in: they are always connected.
function useBuiltIn(): ReadonlySet<string> {
  const { data } = useManifests()
  return useMemo(
    () =>
      new Set(
        (data ?? [])
          .filter(({ sign_in: ways }) => ways.length > 0 && ways.every(({ kind }) => kind === 'none'))
          .map(({ name }) => name),
      ),
    [data],
  )
}

function ServiceCard({
  service: { name, label, description, configured },
  isBuiltIn,
  onConnect,
}: {
  readonly service: Service
  readonly isBuiltIn: boolean
  readonly onConnect: () => void
}) {
  return (
    <Paper component="li" withBorder p="md" aria-label={label}>
      <Stack gap="xs" h="100%" justify="space-between">
        <div>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Group gap="sm" wrap="nowrap">
              <ServiceMark provider={name} size={32} />
              <Text fw={600}>{label}</Text>
            </Group>
            {configured ? <StatusBadge tone="good" label={isBuiltIn ? texts.ready : texts.connected} /> : null}
          </Group>
          {description === null || description === '' ? null : (
            <Text size="sm" c="dimmed" mt="2xs" title={serviceText(description)}>
              {firstSentence(serviceText(description))}
            </Text>
          )}
        </div>
        {configured ? (
          <Group mih={36}>
            <Anchor component={Link} href={`/connections/${name}`} size="sm">
              {texts.manage}
            </Anchor>
          </Group>
        ) : (
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} aria-hidden />}
            onClick={onConnect}
            aria-label={say(texts.connectTo, { name: label })}
          >
            {texts.connect}
          </Button>
        )}
      </Stack>
    </Paper>
  )
}

/** The first sentence says which data a service syncs; its limits follow. */
function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text
}

interface Ranked {
  readonly label: string
  readonly popular: number | null
}

/** Popular services by rank, then the others by name. */
function byPopularity(a: Ranked, b: Ranked): number {
  const [first, second] = [a.popular ?? Number.MAX_SAFE_INTEGER, b.popular ?? Number.MAX_SAFE_INTEGER]
  return first - second || a.label.localeCompare(b.label)
}
