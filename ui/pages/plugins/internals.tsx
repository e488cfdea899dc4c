// Jobs, routes, hooks, events and services of a plugin.
import { Badge, Code, Group, Paper, Stack, Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { plugins } from '../../texts/en/plugins.ts'
import type { PluginDetail } from './data.ts'

const texts = plugins.internals
const outcomes: Readonly<Record<string, string>> = texts.outcomes

export default function Internals({ plugin }: { readonly plugin: PluginDetail }) {
  const { routes, hooks, jobs, listens_to: listens, services } = plugin
  return (
    <Stack>
      <Rows
        title={texts.jobs}
        heads={[texts.job, texts.next, texts.last, texts.outcome]}
        rows={jobs.map((job) => [
          job.name,
          <TimeText key="next" isAhead at={job.next_at} never="–" />,
          <TimeText key="last" at={job.last_finished_at} />,
          job.running ? (
            <StatusBadge key="run" tone="busy" label={texts.running} />
          ) : job.last_outcome === null ? (
            '–'
          ) : (
            <StatusBadge
              key="out"
              tone={job.last_outcome === 'done' ? 'good' : 'bad'}
              label={outcomes[job.last_outcome] ?? job.last_outcome}
            />
          ),
        ])}
      />
      <Rows
        title={texts.routes}
        heads={[texts.method, texts.path, texts.access]}
        rows={routes.map(({ method, path, auth }) => [
          method,
          <Code key="path">{path}</Code>,
          texts.auth[auth as keyof typeof texts.auth] ?? auth,
        ])}
      />
      <Rows
        title={texts.hooks}
        heads={[texts.hook, texts.order]}
        rows={hooks.map(({ hook, stage }) => [<Code key="hook">{hook}</Code>, stage])}
      />
      <Names title={texts.listens} names={listens} />
      <Names title={texts.services} names={services} />
    </Stack>
  )
}

function Rows({
  title,
  heads,
  rows,
}: {
  readonly title: string
  readonly heads: readonly string[]
  readonly rows: readonly (readonly ReactNode[])[]
}) {
  return (
    <Frame title={title}>
      {rows.length === 0 ? (
        <Text c="dimmed">{texts.none}</Text>
      ) : (
        <Table.ScrollContainer minWidth={420} type="native" tabIndex={0} aria-label={title} role="region">
          <Table verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                {heads.map((head) => (
                  <Table.Th key={head}>{head}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((cells, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other key
                <Table.Tr key={row}>
                  {cells.map((cell, index) => (
                    <Table.Td key={heads[index]}>{cell}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Frame>
  )
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  return (
    <Frame title={title}>
      {names.length === 0 ? (
        <Text c="dimmed">{texts.none}</Text>
      ) : (
        <Group gap="xs">
          {names.map((name) => (
            <Badge key={name} variant="default" tt="none" fw={500}>
              {name}
            </Badge>
          ))}
        </Group>
      )}
    </Frame>
  )
}

function Frame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}
