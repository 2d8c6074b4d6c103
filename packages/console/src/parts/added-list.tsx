/**
 * A section with a list that grows by a button, which stands in its head, or in the middle while the list is empty. Removing a row
 * asks first.
 */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Section } from '../ui/section.tsx'
import { Table, type Column, type TableProps } from '../ui/table.tsx'

interface AddedListProps<Row> {
  readonly label: string
  readonly words: Readonly<Record<'title' | 'hint' | 'add' | 'empty' | 'emptyHint', string>>
  readonly icon: IconName
  readonly query: TableProps<Row>['query']
  readonly columns: readonly Column<Row>[]
  readonly onAdd: () => void
  readonly removal: Removal<Row>
  /** The form. */
  readonly children: ReactNode
}

interface Removal<Row> {
  /** The row that is to go; undefined while nothing is asked. */
  readonly row: Row | undefined
  readonly title: string
  readonly text: string
  readonly verb: string
  readonly mutation: {
    readonly isPending: boolean
    mutate(row: Row, options: { readonly onSettled: () => void }): void
  }
  readonly onClose: () => void
}

export function AddedList<Row extends { readonly id: string }>(props: AddedListProps<Row>) {
  const { label, words, icon, query, columns, onAdd, removal, children } = props
  const { row, title, text, verb, mutation, onClose } = removal
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={onAdd}>
      {words.add}
    </Button>
  )
  const isEmpty = (query.data?.items.length ?? 0) === 0
  return (
    <Section title={words.title} hint={words.hint} bare action={isEmpty ? undefined : add}>
      <Table
        label={label}
        query={query}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          <Empty title={words.empty} hint={words.emptyHint} icon={icon}>
            {add}
          </Empty>
        }
      />
      {children}
      <Confirm
        opened={row !== undefined}
        title={title}
        verb={verb}
        busy={mutation.isPending}
        onClose={onClose}
        onConfirm={() => row !== undefined && mutation.mutate(row, { onSettled: onClose })}
      >
        {text}
      </Confirm>
    </Section>
  )
}
