// The status of each pair and its features.
import { Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { featureName, useNames } from '../../parts/values/names.ts'
import { problemsOf, type PairStatus } from '../../parts/runs/pair-status.ts'
import { Problems } from '../../parts/runs/problems.tsx'
import { SyncBadge } from '../../parts/runs/sync-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { home } from '../../texts/en/home.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'

const { pairs: texts } = home

export function PairCards({ pairs }: { readonly pairs: readonly PairStatus[] }) {
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between" align="baseline">
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        <Anchor component={Link} href="/pairs" size="sm">
          {texts.all}
        </Anchor>
      </Group>
      {/* Four in two rows of two: none alone in a row. */}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: pairs.length === 4 ? 2 : 3 }}>
        {pairs.map((pair) => (
          <PairCard key={pair.id} pair={pair} />
        ))}
      </SimpleGrid>
    </Stack>
  )
}

function PairCard({ pair }: { readonly pair: PairStatus }) {
  const names = useNames()
  const sides = say(runs.pairName, {
    source: names.account(pair.source, pair.source_instance),
    target: names.account(pair.target, pair.target_instance),
  })
  return (
    <Paper withBorder p="md" component="article" aria-label={pair.name || sides}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
        <Group gap={0} wrap="nowrap" className="marks">
          <ServiceMark provider={pair.source} size={28} />
          <ServiceMark provider={pair.target} size={28} />
        </Group>
        <div className="grow">
          <Anchor component={Link} href={`/pairs/${pair.id}`} fw={600} c="inherit" style={{ overflowWrap: 'anywhere' }}>
            {pair.name || sides}
          </Anchor>
          <Text size="sm" c="dimmed">
            {names.isKnown ? `${sides}, ${pair.mode === 'two_way' ? texts.both : texts.oneWay}` : ' '}
          </Text>
        </div>
        <div style={{ flexShrink: 0 }}>
          <SyncBadge status={pair.sync_status} />
        </div>
      </Group>
      <Stack gap="xs" mt="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {pair.features.length === 0 ? (
          <Text size="sm" c="dimmed" component="li">
            {texts.noFeatures}
          </Text>
        ) : (
          pair.features.map((feature) => (
            <Group key={feature.feature} component="li" justify="space-between" gap="xs" wrap="nowrap">
              {feature.run_id === null ? (
                <Text size="sm">{featureName(feature.feature)}</Text>
              ) : (
                <Anchor component={Link} href={`/runs/${feature.run_id}`} size="sm" c="inherit">
                  {featureName(feature.feature)}
                </Anchor>
              )}
              <SyncBadge status={feature.sync_status} />
            </Group>
          ))
        )}
      </Stack>
      <div style={{ marginTop: 'var(--mantine-spacing-sm)' }}>
        <Problems lines={problemsOf(pair.features, featureName)} />
      </div>
      <Text size="sm" c="dimmed" mt="md" component="div">
        {texts.last}{' '}
        <TimeText at={pair.last_finished_at === null ? null : pair.last_finished_at * 1000} never={texts.never} />
      </Text>
    </Paper>
  )
}
