// The titles as cards.
import { ActionIcon, Badge, Checkbox, Group, Menu, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import {
  IconCheck,
  IconDots,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconSlideshow,
  IconTrash,
} from '@tabler/icons-react'
import { memo } from 'react'
import { moveByArrows } from '../../parts/lists/arrows.ts'
import { pictureOf } from '../../parts/titles/pictures.ts'
import { PosterImage } from '../../parts/values/poster-image.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { continueWatching } from '../../texts/en/continue.ts'
import { say } from '../../texts/say.ts'
import {
  type Item,
  keyOf,
  nameOf,
  type Operation,
  picturedOf,
  positionsOf,
  remainingText,
  subtitleOf,
  titleOf,
} from '../../parts/titles/positions.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'

const { card: texts, label } = continueWatching

interface CardsProps {
  readonly items: readonly Item[]
  readonly selected: ReadonlySet<string>
  readonly onSelect: (key: string, isSelected: boolean) => void
  readonly onAction: (operation: Operation, item: Item) => void
}

export function Cards({ items, selected, onSelect, onAction }: CardsProps) {
  return (
    <ul className="plain-list cards" aria-label={label} onKeyDown={moveByArrows({ count: items.length })}>
      {items.map((item, index) => {
        const key = keyOf(item)
        return (
          <li key={key} data-item={index}>
            <Card item={item} isSelected={selected.has(key)} onSelect={onSelect} onAction={onAction} />
          </li>
        )
      })}
    </ul>
  )
}

const Card = memo(function Card({
  item,
  isSelected,
  onSelect,
  onAction,
}: Pick<CardsProps, 'onSelect' | 'onAction'> & { readonly item: Item; readonly isSelected: boolean }) {
  const title = titleOf(item)
  const name = nameOf(item)
  const services = new Map(positionsOf(item).map((one) => [one.provider, one.provider_label]))
  return (
    <Paper withBorder p="sm" h="100%" component="article" aria-label={name} data-selected={isSelected || undefined}>
      <Group gap="sm" align="flex-start" wrap="nowrap" h="100%">
        <div className="card-poster" aria-hidden>
          <PosterImage src={pictureOf(picturedOf(item), 342)} title={title} />
        </div>
        <Stack gap="xs" style={{ flexGrow: 1, minWidth: 0 }}>
          <Group gap="xs" wrap="nowrap" justify="space-between" align="flex-start">
            <Title order={2} size="h5" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            <Group gap="2xs" wrap="nowrap">
              <Checkbox
                checked={isSelected}
                aria-label={say(texts.select, { title: name })}
                onChange={(event) => onSelect(keyOf(item), event.currentTarget.checked)}
              />
              <Actions item={item} name={name} onAction={onAction} />
            </Group>
          </Group>
          <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
            {subtitleOf(item)}
          </Text>
          <Bar item={item} name={name} />
          <Group gap="xs">
            <Live item={item} />
            {item.stale && item.live_state === undefined ? <StatusBadge tone="warn" label={texts.old} /> : null}
            {[...services].map(([provider, name]) => (
              <Group key={provider} gap="2xs" wrap="nowrap">
                <ServiceMark provider={provider} size={16} />
                <Text size="xs">{name}</Text>
              </Group>
            ))}
          </Group>
          {item.updated_at === null || item.live_state !== undefined ? null : (
            <Text size="xs" c="dimmed" component="div">
              {texts.stopped} <TimeText at={item.updated_at} />
            </Text>
          )}
          {item.live_state === undefined ? null : (
            <Text size="xs" c="dimmed" truncate title={texts.live}>
              {texts.live}
            </Text>
          )}
          {item.capability_messages.map((message) => (
            <Text key={message} size="xs" c="dimmed">
              {message}
            </Text>
          ))}
        </Stack>
      </Group>
    </Paper>
  )
})

function Bar({ item, name }: { readonly item: Item; readonly name: string }) {
  const isLive = item.live_state !== undefined
  const percent = (isLive ? item.live_progress_percent : undefined) ?? item.progress_percent
  const left = (isLive ? item.live_remaining_seconds : undefined) ?? item.remaining_seconds
  if (percent === null) return null
  const text = [
    say(texts.percent, { percent: Math.floor(percent) }),
    ...(left === null || left === 0 ? [] : [remainingText(left)]),
  ].join(' · ')
  return (
    <div>
      <Progress.Root
        size="sm"
        mb="2xs"
        role="progressbar"
        aria-label={say(texts.progress, { title: name })}
        aria-valuetext={text}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(percent)}
      >
        <Progress.Section withAria={false} value={percent} color={isLive ? 'green' : 'playhead'} />
      </Progress.Root>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </div>
  )
}

function Live({ item: { live_state: state } }: { readonly item: Item }) {
  if (state === undefined) return null
  const Icon = state === 'playing' ? IconPlayerPlayFilled : IconPlayerPauseFilled
  return (
    <Badge variant="light" color="green" tt="none" leftSection={<Icon size={12} aria-hidden />}>
      {texts[state]}
    </Badge>
  )
}

function Actions({
  item,
  name,
  onAction,
}: Pick<CardsProps, 'onAction'> & { readonly item: Item; readonly name: string }) {
  const isPossible = item.can_mark_watched || item.can_update_progress || item.can_remove_progress
  if (item.live_state !== undefined || !isPossible) return null
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={say(texts.actions, { title: name })}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconCheck size={16} aria-hidden />}
          disabled={!item.can_mark_watched}
          onClick={() => onAction('mark_watched', item)}
        >
          {texts.watched}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconSlideshow size={16} aria-hidden />}
          disabled={!item.can_update_progress}
          onClick={() => onAction('update_progress', item)}
        >
          {texts.set}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconTrash size={16} aria-hidden />}
          disabled={!item.can_remove_progress}
          onClick={() => onAction('remove_progress', item)}
        >
          {texts.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
