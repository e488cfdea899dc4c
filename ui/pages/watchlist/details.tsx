// One title: its watchlists, dates and removal.
import { Anchor, Box, Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { eventsAddress } from '../../parts/titles/pictures.ts'
import { PosterImage } from '../../parts/values/poster-image.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { watchlist } from '../../texts/en/watchlist.ts'
import { say } from '../../texts/say.ts'
import { kindName, type Services } from './names.ts'
import type { Row } from './rows.ts'

const texts = watchlist.details

interface DetailsProps {
  readonly row: Row | null
  readonly services: Services
  readonly onClose: () => void
  readonly onRemove: (row: Row, source: string | null) => void
}

export function Details({ row, services, onClose, onRemove }: DetailsProps) {
  return (
    <Modal opened={row !== null} onClose={onClose} title={row?.title ?? texts.title} size="lg">
      {row === null ? null : <Content row={row} services={services} onRemove={onRemove} />}
    </Modal>
  )
}

function Content({ row, services, onRemove }: Omit<DetailsProps, 'row' | 'onClose'> & { readonly row: Row }) {
  const { poster, title, year, kind, sources, addedMs, item, key } = row
  return (
    <Stack>
      <Group align="flex-start" wrap="nowrap" gap="md">
        <Box w={{ base: 92, xs: 140 }} style={{ flexShrink: 0 }}>
          <PosterImage src={poster} title={title} />
        </Box>
        <Stack gap="xs" miw={0} style={{ flex: 1 }}>
          <Text c="dimmed">{[kindName(kind), ...(year === null ? [] : [String(year)])].join(' · ')}</Text>
          {addedMs === null ? null : (
            <Text size="sm">
              {texts.added} <TimeText at={addedMs} />
            </Text>
          )}
          <Text size="sm" fw={600} mt="xs">
            {texts.on}
          </Text>
          <List
            listStyleType="none"
            spacing="xs"
            styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}
          >
            {sources.map((token) => {
              const { label } = services(token)
              const isStale = item.accounts.some(({ provider, stale }) => provider === token && stale)
              return (
                <List.Item key={token}>
                  <Group justify="space-between" gap="xs">
                    <Group gap="xs">
                      <Text size="sm">{label}</Text>
                      {isStale ? <StatusBadge tone="warn" label={texts.stale} /> : null}
                    </Group>
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={say(texts.removeFrom, { service: label })}
                      onClick={() => onRemove(row, token)}
                    >
                      {texts.remove}
                    </Button>
                  </Group>
                </List.Item>
              )
            })}
          </List>
        </Stack>
      </Group>
      <Group justify="space-between">
        <Anchor component={Link} href={eventsAddress(key)} size="sm">
          {texts.history}
        </Anchor>
        <Button color="red.9" onClick={() => onRemove(row, null)}>
          {texts.removeAll}
        </Button>
      </Group>
    </Stack>
  )
}
