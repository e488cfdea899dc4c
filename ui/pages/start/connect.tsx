// Setup guide: connect two services.
import { Anchor, Button, Group, Modal, Paper, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconArrowRight, IconPlugConnected, IconPuzzle, IconSearch } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { Loading } from '../../parts/page/loading.tsx'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { start } from '../../texts/en/start.ts'
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
  return (
    <>
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
  const shown = services.filter(({ label }) => label.toLowerCase().includes(search.trim().toLowerCase()))

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
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {shown.map((service) => (
          <ServiceCard key={service.name} service={service} onConnect={() => setOpen(service)} />
        ))}
      </SimpleGrid>
      <Group justify="space-between">
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
            <SignIn provider={open.name} onDone={() => void onDone(open)} />
          </Suspense>
        )}
      </Modal>
    </Stack>
  )
}

function ServiceCard({
  service: { name, label, description, configured },
  onConnect,
}: {
  readonly service: Service
  readonly onConnect: () => void
}) {
  return (
    <Paper component="li" withBorder p="md" aria-label={label}>
      <Stack gap="xs" h="100%" justify="space-between">
        <div>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text fw={600}>{label}</Text>
            <StatusBadge
              tone={configured ? 'good' : 'idle'}
              label={configured ? texts.connected : texts.notConnected}
            />
          </Group>
          {description === null || description === '' ? null : (
            <Text size="sm" c="dimmed" lineClamp={2} mt={4}>
              {description}
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
            variant="light"
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
