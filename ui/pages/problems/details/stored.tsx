// Counts of the stored sync state.
import { Anchor, Group, Paper, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../../api/query.ts'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { featureName } from '../../../parts/values/names.ts'
import { ServiceMark } from '../../../parts/values/service-mark.tsx'
import { analyzer } from '../../../texts/en/analyzer.ts'
import { say } from '../../../texts/say.ts'
import { useAccountName, type ProblemsQuery } from './finding.ts'

const { stored: texts } = analyzer
const COLUMNS = ['unresolved', 'pending', 'flapping', 'blackbox'] as const

export function Stored({ query }: { readonly query: ProblemsQuery }) {
  const accountName = useAccountName()
  const stored = useRead(['analyzer', 'stored'], 'GET /api/analyzer/cw-state', {
    query: query.pairs === undefined ? {} : { pairs: query.pairs },
  })
  return (
    <QueryView
      query={stored}
      rows={4}
      isEmpty={({ artifacts }) => artifacts.length === 0}
      empty={<Text c="dimmed">{texts.empty}</Text>}
    >
      {({ totals, providers }) => (
        <Stack gap="md">
          <Group justify="space-between" gap="xs">
            <Text size="sm" c="dimmed">
              {texts.text}
            </Text>
            <Anchor component={Link} href="/maintenance" size="sm">
              {texts.clear}
            </Anchor>
          </Group>
          <SimpleGrid cols={{ base: 2, sm: 4 }} component="dl" m={0}>
            {Object.entries(totals).map(([kind, n]) => (
              <Paper key={kind} withBorder p="sm">
                <Text component="dt" size="xs" c="dimmed">
                  {(texts.totals as Readonly<Record<string, string>>)[kind] ?? kind}
                </Text>
                <Text component="dd" m={0} size="xl" fw={650}>
                  {say('{n}', { n })}
                </Text>
              </Paper>
            ))}
          </SimpleGrid>
          <Paper withBorder p="md">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys */}
            <div style={{ overflowX: 'auto' }} tabIndex={0} role="group" aria-label={texts.label}>
              <Table aria-label={texts.label} verticalSpacing="xs" miw="34rem">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{texts.columns.account}</Table.Th>
                    <Table.Th>{texts.columns.feature}</Table.Th>
                    {COLUMNS.map((name) => (
                      <Table.Th key={name} ta="right">
                        {texts.columns[name]}
                      </Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {Object.entries(providers).flatMap(([account, features]) =>
                    Object.entries(features).map(([feature, counts]) => (
                      <Table.Tr key={`${account} ${feature}`}>
                        <Table.Td>
                          <Group gap="xs" wrap="nowrap">
                            <ServiceMark provider={account.split('@')[0] ?? ''} size={18} />
                            {accountName(account)}
                          </Group>
                        </Table.Td>
                        <Table.Td>{featureName(feature)}</Table.Td>
                        {COLUMNS.map((name) => (
                          <Table.Td key={name} ta="right">
                            {say('{n}', { n: counts[name] ?? 0 })}
                          </Table.Td>
                        ))}
                      </Table.Tr>
                    )),
                  )}
                </Table.Tbody>
              </Table>
            </div>
          </Paper>
        </Stack>
      )}
    </QueryView>
  )
}
