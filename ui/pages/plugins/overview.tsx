// A plugin: version, permissions and load details.
import { Anchor, Badge, Code, Group, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Facts } from '../../parts/lists/facts.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { plugins } from '../../texts/en/plugins.ts'
import { say } from '../../texts/say.ts'
import type { PluginDetail } from './data.ts'
import { Origin } from './origin.tsx'
import { locale } from '../../texts/language.ts'

const { version: texts, reach, pages } = plugins
const bytes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 })
const milliseconds = new Intl.NumberFormat(locale, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 0 })
const MEGABYTE = 1024 * 1024

export function Overview({ plugin }: { readonly plugin: PluginDetail }) {
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={texts.title}>
          <Version plugin={plugin} />
        </Section>
        <Section title={reach.title}>
          <Permissions needs={plugin.needs} />
        </Section>
      </SimpleGrid>
      {plugin.origin === 'user' ? (
        <Section title={plugins.origin.title}>
          <Origin plugin={plugin} />
        </Section>
      ) : null}
      {plugin.ui.pages.length + plugin.ui.panels.length === 0 ? null : (
        <Section title={pages.title}>
          <List>
            {plugin.ui.pages.map(({ path, title }) => (
              <List.Item key={path}>
                <Anchor
                  component={Link}
                  href={`/plugin-pages/${encodeURIComponent(plugin.id)}/${path}`}
                  underline="always"
                >
                  {title}
                </Anchor>
              </List.Item>
            ))}
            {plugin.ui.panels.map(({ slot, title }) => (
              <List.Item key={slot + title}>
                {title}{' '}
                <Text span c="dimmed">
                  {pages.slots[slot]}
                </Text>
              </List.Item>
            ))}
          </List>
        </Section>
      )}
      {plugin.provides.length + plugin.requires.length === 0 ? null : (
        <Section title={`${plugins.provides} · ${plugins.requires}`}>
          <Facts
            facts={[
              [plugins.provides, names(plugin.provides)],
              [plugins.requires, names(plugin.requires)],
            ]}
          />
        </Section>
      )}
    </Stack>
  )
}

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

function Version({
  plugin: {
    generation,
    activated_at: at,
    phases,
    reloads,
    faults,
    in_flight: inFlight,
    timers,
    draining,
    directory,
    retry_at: retryAt,
  },
}: {
  readonly plugin: PluginDetail
}) {
  if (generation === null)
    return (
      <Facts
        facts={[
          [plugins.columns.state, texts.notLoaded],
          [texts.retry, retryAt === null ? null : <TimeText key="at" isAhead at={retryAt} />],
          [texts.folder, directory],
        ]}
      />
    )
  const took =
    phases === null
      ? null
      : say(texts.tookText, {
          total: Math.round(phases.compile_ms + phases.stage_ms + phases.publish_ms),
          compile: phases.from_cache ? texts.cached : milliseconds.format(phases.compile_ms),
          stage: milliseconds.format(phases.stage_ms),
          publish: milliseconds.format(phases.publish_ms),
        })
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [
            texts.generation,
            <span key="n" data-generation>
              {generation}
            </span>,
          ],
          [texts.activated, <TimeText key="at" at={at} />],
          [texts.reloads, reloads],
          [texts.faults, faults],
          [texts.working, `${say(texts.requests, { n: inFlight })}, ${say(texts.timers, { n: timers })}`],
          [
            texts.draining,
            draining.length === 0
              ? null
              : draining.map((one) => `${one.generation} (${say(texts.requests, { n: one.in_flight })})`).join(', '),
          ],
        ]}
      />
      <Facts
        cols={1}
        facts={[
          [texts.took, took],
          [texts.folder, <Code key="folder">{directory}</Code>],
        ]}
      />
    </Stack>
  )
}

function Permissions({ needs }: { readonly needs: PluginDetail['needs'] }) {
  const further = [
    needs.listFiles === true ? reach.listFiles : '',
    needs.inspect === true ? reach.inspect : '',
    needs.signIn === undefined ? '' : reach.signIn,
    needs.directory === true ? reach.directory : '',
  ].filter((text) => text !== '')
  const facts = [
    [reach.hosts, needs.hosts === undefined || needs.hosts.length === 0 ? null : names(needs.hosts.map(hostText))],
    [reach.storage, needs.storage === undefined ? null : bytes.format(needs.storage / MEGABYTE)],
    [reach.database, needs.database === true ? reach.databaseText : null],
    [reach.files, needs.files === undefined ? null : names(needs.files)],
    [reach.builtins, needs.builtins === undefined ? null : names(needs.builtins)],
    [
      reach.further,
      further.length === 0 ? null : (
        <List key="further" size="sm">
          {further.map((text) => (
            <List.Item key={text}>{text}</List.Item>
          ))}
        </List>
      ),
    ],
  ] as const
  return facts.every(([, value]) => value === null) ? <Text>{reach.nothing}</Text> : <Facts cols={1} facts={facts} />
}

function hostText(host: string): string {
  if (host === 'entered') return reach.entered
  return host.startsWith('config:') ? say(reach.fromSettings, { field: host.slice('config:'.length) }) : host
}

function names(list: readonly string[]): ReactNode {
  if (list.length === 0) return null
  return (
    <Group gap="xs" mt="3xs">
      {list.map((name) => (
        <Badge
          key={name}
          variant="default"
          tt="none"
          fw={500}
          h="auto"
          py="3xs"
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
        >
          {name}
        </Badge>
      ))}
    </Group>
  )
}
