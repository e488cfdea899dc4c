// Each pair: how much is synced, what it excludes, and when its state last changed.
import { Button, Group, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import { IconLink } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useRead } from '../../../api/query.ts'
import { BarList } from '../../../parts/charts/bar-list.tsx'
import { EmptyState } from '../../../parts/page/empty-state.tsx'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { featureName } from '../../../parts/values/names.ts'
import { TimeText } from '../../../parts/values/time-text.tsx'
import { analyzer } from '../../../texts/en/analyzer.ts'
import { say } from '../../../texts/say.ts'
import { useAccountName, type ProblemsQuery } from './finding.ts'

const { pairs: texts } = analyzer
const NEEDS = ['current_mismatch', 'pending_retry', 'blocked', 'anime_resolved'] as const

export function Pairs({ query }: { readonly query: ProblemsQuery }) {
  const accountName = useAccountName()
  const problems = useRead(['analyzer', 'pair-stats'], 'GET /api/analyzer/problems', {
    query: { ...query, limit: 0, attention_limit: 0 },
  })
  const activity = useRead(['analyzer', 'activity'], 'GET /api/analyzer/pair-activity')
  const { data: known } = useRead(['pairs'], 'GET /api/pairs')
  const nameOf = (id: string) => known?.find((pair) => pair.id === id)?.name || id
  return (
    <QueryView
      query={problems}
      rows={6}
      isEmpty={({ pair_stats: stats }) => stats.length === 0}
      empty={
        <EmptyState
          icon={IconLink}
          title={texts.empty.title}
          text={texts.empty.text}
          action={
            <Button component={Link} href="/pairs">
              {texts.empty.action}
            </Button>
          }
        />
      }
    >
      {({ pair_stats: stats, pair_exclusions: exclusions, attention: { counts } }) => {
        const rows = stats.map(({ pair_id: id, source, target, feature, synced, total }) => ({
          name: `${nameOf(id)} · ${featureName(feature)} · ${say(texts.direction, { from: accountName(source), to: accountName(target) })}`,
          value: total === 0 ? 1 : synced / total,
          text: say(texts.share, { synced, total }),
        }))
        return (
          <Stack gap="md">
            <SimpleGrid cols={{ base: 2, sm: 4 }} component="dl" m={0}>
              {NEEDS.map((name) => (
                <Paper key={name} withBorder p="sm">
                  <Text component="dt" size="xs" c="dimmed">
                    {texts.needs[name]}
                  </Text>
                  <Text component="dd" m={0} size="xl" fw={650}>
                    {say('{n}', { n: counts[name] })}
                  </Text>
                </Paper>
              ))}
            </SimpleGrid>
            <Paper withBorder p="md">
              <Title order={2} size="h5" mb="sm">
                {texts.chart}
              </Title>
              <BarList label={texts.chart} rows={rows} whole={1} hasLongNames />
            </Paper>
            <Paper withBorder p="md">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys */}
              <div style={{ overflowX: 'auto' }} tabIndex={0} role="group" aria-label={texts.label}>
                <Table aria-label={texts.label} verticalSpacing="xs" miw="40rem">
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{texts.columns.pair}</Table.Th>
                      <Table.Th>{texts.columns.feature}</Table.Th>
                      <Table.Th>{texts.columns.synced}</Table.Th>
                      <Table.Th>{texts.columns.excluded}</Table.Th>
                      <Table.Th>{texts.columns.changed}</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {stats.map(({ pair_id: id, source, target, feature, synced, total }) => {
                      const left = exclusions.find(
                        (one) =>
                          one.pair_id === id &&
                          one.feature === feature &&
                          one.source === source &&
                          one.target === target,
                      )
                      const changed = activity.data?.pairs.find((one) => one.id === id)?.last_run_ms
                      return (
                        <Table.Tr key={`${id} ${feature} ${source}`}>
                          <Table.Td>
                            <Text size="sm" fw={600} lineClamp={1}>
                              {nameOf(id)}
                            </Text>
                            <Text size="xs" c="dimmed">
                              {say(texts.direction, { from: accountName(source), to: accountName(target) })}
                            </Text>
                          </Table.Td>
                          <Table.Td>{featureName(feature)}</Table.Td>
                          <Table.Td>{say(texts.share, { synced, total })}</Table.Td>
                          <Table.Td>
                            {left === undefined
                              ? ''
                              : say(texts.excluded, { excluded: left.excluded_total, total: left.scanned_total })}
                          </Table.Td>
                          <Table.Td>
                            <TimeText at={changed} />
                          </Table.Td>
                        </Table.Tr>
                      )
                    })}
                  </Table.Tbody>
                </Table>
              </div>
              <Group mt="xs">
                <Text size="sm" c="dimmed">
                  {texts.excludedText}
                </Text>
              </Group>
            </Paper>
          </Stack>
        )
      }}
    </QueryView>
  )
}
