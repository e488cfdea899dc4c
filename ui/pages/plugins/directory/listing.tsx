// One plugin of the directory: what it asks for, what was found about it, and its versions.
import { Alert, Anchor, Badge, Button, Group, List, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconPuzzleOff } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useRead } from '../../../api/query.ts'
import { Facts } from '../../../parts/lists/facts.tsx'
import { Page } from '../../../parts/page/page.tsx'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { usePlugins } from '../../../parts/plugins/use-plugins.ts'
import { bytesText } from '../../../parts/values/bytes.ts'
import { Mark } from '../../../parts/values/service-mark.tsx'
import { directory as texts } from '../../../texts/en/directory.ts'
import { shell } from '../../../texts/en/shell.ts'
import { say } from '../../../texts/say.ts'
import { serviceText } from '../../../texts/service-text.ts'
import { RollBack } from '../origin.tsx'
import { Section } from '../overview.tsx'
import { Remove } from '../remove.tsx'
import { kindText } from '../state.tsx'
import { LevelBadge, ListingBadge } from './badges.tsx'
import { dayText, DIRECTORY, type ListedVersion, type Listing, listingHref } from './data.ts'
import { MainButton } from './main-button.tsx'
import { useInstall } from './use-install.tsx'

const breadcrumbs = [
  { title: shell.pages.plugins, href: '/plugins' },
  { title: texts.title, href: '/plugin-directory' },
]

export function ListingPage({ id }: { readonly id: string }) {
  const query = useRead([...DIRECTORY, id], 'GET /api/directory/{id}', { params: { id } })
  const listing = query.data?.plugin
  return (
    <Page
      title={listing?.name ?? texts.title}
      text={listing === undefined ? undefined : serviceText(listing.description)}
      breadcrumbs={breadcrumbs}
      actions={listing === undefined ? undefined : <Actions listing={listing} />}
    >
      <QueryView
        query={query}
        rows={6}
        absent={{
          icon: IconPuzzleOff,
          title: texts.missingPlugin,
          text: texts.missingPluginText,
          to: texts.toDirectory,
          href: '/plugin-directory',
        }}
      >
        {({ plugin, versions }) => <Detail listing={plugin} versions={versions} />}
      </QueryView>
    </Page>
  )
}

function Actions({ listing }: { readonly listing: Listing }) {
  const { id, name, previous, origin, version } = listing
  const plugin = usePlugins().data?.plugins.find((one) => one.id === id)
  return (
    <>
      {plugin === undefined ? null : (
        <Button component={Link} href={`/plugins/${encodeURIComponent(id)}`} variant="default">
          {texts.openPlugin}
        </Button>
      )}
      {previous === null ? null : <RollBack id={id} name={name} previous={previous} />}
      {plugin === undefined || origin === null || version === null ? null : (
        <Remove plugin={plugin} of={origin === 'folder' ? 'folder' : 'package'} to={listingHref(id)} />
      )}
      <MainButton listing={listing} isOpened />
    </>
  )
}

function Detail({ listing, versions }: { readonly listing: Listing; readonly versions: readonly ListedVersion[] }) {
  const { name, kind, mark, state, version, previous, newest, withdrawn, author, license, source } = listing
  return (
    <Stack>
      <Group gap="xs">
        <Mark mark={mark} name={name} size={28} />
        <ListingBadge state={state} />
        <LevelBadge level={newest?.level ?? null} />
        <Badge variant="default" tt="none">
          {kindText(kind)}
        </Badge>
      </Group>
      {withdrawn === null ? null : (
        <Alert
          color="orange"
          title={say(texts.withdrawn, { version: version ?? '', date: dayText(withdrawn.date) })}
          icon={<IconAlertTriangle aria-hidden />}
        >
          <Text>{withdrawn.why}</Text>
          <Text size="sm">
            {newest === null ? texts.withdrawnRemove : say(texts.withdrawnUpdate, { version: newest.version })}
          </Text>
        </Alert>
      )}
      {state === 'unlisted' ? (
        <Alert color="gray" title={texts.unlisted}>
          {texts.unlistedText}
        </Alert>
      ) : state === 'unsupported' ? (
        <Alert color="gray" title={texts.unsupported}>
          {texts.unsupportedText}
        </Alert>
      ) : null}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={texts.asks}>
          {newest === null || newest.asks.length === 0 ? (
            <Text>–</Text>
          ) : (
            <List size="sm" spacing="2xs">
              {newest.asks.map((ask) => (
                <List.Item key={ask} style={{ overflowWrap: 'anywhere' }}>
                  {serviceText(ask)}
                </List.Item>
              ))}
            </List>
          )}
        </Section>
        <Section title={texts.quality}>
          <Quality version={newest} />
        </Section>
      </SimpleGrid>
      <Section title={texts.about}>
        <Facts
          facts={[
            [texts.installed, version],
            [texts.previous, previous],
            [texts.author, author],
            [texts.license, license],
            [
              texts.source,
              source === null ? null : (
                <Anchor key="source" href={source} target="_blank" rel="noreferrer" underline="always">
                  {source.replace(/^https:\/\//, '')}
                </Anchor>
              ),
            ],
            [texts.size, newest?.size == null ? null : bytesText(newest.size)],
            [texts.changed, newest?.date == null ? null : dayText(newest.date)],
            [texts.works, newest === null ? texts.no : newest.works ? texts.yes : texts.no],
            [texts.offline, newest === null ? null : newest.ships ? texts.yes : texts.no],
          ]}
        />
      </Section>
      {versions.length === 0 ? null : (
        <Section title={texts.versions}>
          <Stack gap="md">
            {versions.map((one, at) => (
              <Version key={one.version} listing={listing} version={one} isFirst={at === versions.length - 1} />
            ))}
          </Stack>
        </Section>
      )}
    </Stack>
  )
}

function Quality({ version }: { readonly version: ListedVersion | null }) {
  if (version === null || (version.level === null && version.conformance === null))
    return <Text>{texts.unchecked}</Text>
  const { level, missing, conformance } = version
  return (
    <Stack gap="xs">
      <Facts
        cols={1}
        facts={[
          [texts.level, level === null ? texts.unchecked : texts.levels[level]],
          [
            texts.conformance,
            conformance === null
              ? null
              : say(texts.conformanceText, { ...conformance, date: dayText(conformance.date) }),
          ],
        ]}
      />
      {missing.length === 0 ? (
        level === 'platinum' ? (
          <Text size="sm">{texts.allMet}</Text>
        ) : null
      ) : (
        <div>
          <Text size="sm" c="dimmed">
            {texts.missing}
          </Text>
          <List size="sm">
            {missing.map((check) => (
              <List.Item key={check}>{texts.checks[check as keyof typeof texts.checks] ?? check}</List.Item>
            ))}
          </List>
        </div>
      )}
    </Stack>
  )
}

function Version({
  listing,
  version: { version, date, works, changes, withdrawn },
  isFirst,
}: {
  readonly listing: Listing
  readonly version: ListedVersion
  readonly isFirst: boolean
}) {
  const install = useInstall({ ...listing, folder: null })
  const isInstalled = listing.version === version
  const canInstall =
    !isInstalled &&
    works &&
    withdrawn === null &&
    version !== listing.newest?.version &&
    listing.state !== 'built_in' &&
    listing.origin !== 'folder'
  return (
    <div>
      <Group gap="xs">
        <Text fw={600}>{version}</Text>
        {date === null ? null : (
          <Text size="sm" c="dimmed">
            {dayText(date)}
          </Text>
        )}
        {isInstalled ? (
          <Badge variant="default" tt="none">
            {texts.isInstalled}
          </Badge>
        ) : null}
        {works ? null : (
          <Text size="sm" c="dimmed">
            {texts.needsOther}
          </Text>
        )}
        {canInstall ? (
          <Button
            size="compact-xs"
            variant="default"
            loading={install.isPending}
            onClick={() => install.start(version)}
          >
            {say(texts.installVersion, { version })}
          </Button>
        ) : null}
      </Group>
      {install.dialog}
      {withdrawn === null ? null : (
        <Text size="sm" fw={600}>
          {say(texts.withdrawn, { version, date: dayText(withdrawn.date) })}: {withdrawn.why}
        </Text>
      )}
      {changes.length > 0 ? (
        <List size="sm" aria-label={texts.whatsNew}>
          {changes.map((change) => (
            <List.Item key={change}>{change}</List.Item>
          ))}
        </List>
      ) : (
        <Text size="sm" c="dimmed">
          {isFirst ? texts.firstVersion : texts.noChanges}
        </Text>
      )}
    </div>
  )
}
