/**
 * Picks one or several members, keys, connections, tools or groups. What is typed is searched at the gateway; what is chosen stays
 * chosen, whether or not it is among what is found.
 */
import {
  Autocomplete,
  MultiSelect,
  Select,
  TagsInput,
  type AutocompleteProps,
  type ComboboxData,
  type MultiSelectProps,
  type SelectProps,
  type TagsInputProps,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { texts } from '../../texts/texts.ts'
import { count } from '../../ui/times.ts'
import { useChoices, type Choice, type Choices, type Kind } from './choices.ts'

/** Milliseconds after a key until the gateway is asked. */
const TYPED_MS = 200

interface Picking {
  readonly kind: Kind
  /** The names of chosen values, where the screen knows them. */
  readonly labelOf?: (value: string) => string
}

/** What is typed, and what the gateway finds for it once the list has been opened. */
function usePicking(kind: Kind, chosen: readonly string[], labelOf: Picking['labelOf'], always = false) {
  const [typed, setTyped] = useState('')
  const [opened, setOpened] = useState(always)
  const [known, setKnown] = useState<Readonly<Record<string, string>>>({})
  const [search] = useDebouncedValue(typed.trim(), TYPED_MS)
  // The text of the chosen one stands in the field of a single choice: that is no search.
  const isChosen = chosen.some((value) => (known[value] ?? labelOf?.(value) ?? value) === search)
  const choices = useChoices(kind, isChosen ? '' : search, opened)
  const named = (value: string): Choice => ({ value, label: known[value] ?? labelOf?.(value) ?? value })
  const remember = (values: readonly string[]) => {
    const labels = choices.found
      .filter(({ value }) => values.includes(value))
      .map(({ value, label }): [string, string] => [value, label])
    setKnown((before) => ({ ...before, ...Object.fromEntries<string>(labels) }))
  }
  return {
    choices,
    remember,
    field: {
      data: optionsOf(choices, chosen.map(named)),
      searchValue: typed,
      onSearchChange: setTyped,
      onDropdownOpen: () => setOpened(true),
      filter: ({ options }: { options: ComboboxData }) => options as never,
      nothingFoundMessage: choices.busy ? texts.picker.searching : texts.picker.nothing,
    },
  }
}

/** Those that are found, those that are chosen, and a last line that says how many more there are. */
function optionsOf({ found, total }: Choices, chosen: readonly Choice[]): (Choice & { disabled?: boolean })[] {
  const all = new Map([...chosen, ...found].map((choice) => [choice.value, choice]))
  const rest = total - found.length
  const more = { value: '\n', label: texts.picker.more({ number: count(rest) }), disabled: true }
  return [...all.values(), ...(rest > 0 ? [more] : [])]
}

type OneProps = Omit<SelectProps, 'data' | 'value' | 'onChange'> &
  Picking & { readonly value: string | null; readonly onChange: (value: string | null) => void }

export function PickOne({ kind, labelOf, value, onChange, ...rest }: OneProps) {
  const { field, remember } = usePicking(kind, value === null ? [] : [value], labelOf)
  return (
    <Select
      {...field}
      {...rest}
      searchable
      value={value}
      onChange={(next) => {
        if (next !== null) remember([next])
        onChange(next)
      }}
    />
  )
}

type ManyProps = Omit<MultiSelectProps, 'data' | 'value' | 'onChange'> &
  Picking & { readonly value: readonly string[]; readonly onChange: (values: string[]) => void }

export function PickMany({ kind, labelOf, value, onChange, ...rest }: ManyProps) {
  const { field, remember } = usePicking(kind, value, labelOf)
  return (
    <MultiSelect
      {...field}
      {...rest}
      searchable
      hidePickedOptions
      value={[...value]}
      onChange={(next) => {
        remember(next)
        onChange(next)
      }}
    />
  )
}

type TagsProps = Omit<TagsInputProps, 'data' | 'value' | 'onChange'> &
  Picking & { readonly value: readonly string[]; readonly onChange: (values: string[]) => void }

/** Any text may be entered; what is there is offered. */
export function PickTags({ kind, labelOf, value, onChange, ...rest }: TagsProps) {
  const { field } = usePicking(kind, value, labelOf)
  const { nothingFoundMessage: _, data, ...input } = field
  return (
    <TagsInput
      {...input}
      {...rest}
      data={data.filter(({ value: item }) => !value.includes(item) && item !== '\n').map(({ value: item }) => item)}
      value={[...value]}
      onChange={onChange}
    />
  )
}

type TextProps = Omit<AutocompleteProps, 'data' | 'value' | 'onChange'> & {
  readonly kind: Kind
  readonly value: string
  readonly onChange: (value: string) => void
}

/** One text, for which what is there is offered. */
export function PickText({ kind, value, onChange, ...rest }: TextProps) {
  const [opened, setOpened] = useState(false)
  const [search] = useDebouncedValue(value.trim(), TYPED_MS)
  const { found } = useChoices(kind, search, opened)
  return (
    <Autocomplete
      {...rest}
      data={[...new Set(found.map((choice) => choice.value))]}
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      onDropdownOpen={() => setOpened(true)}
    />
  )
}

export interface FixedGroup {
  readonly group: string
  readonly items: readonly Choice[]
}

/** Things of one kind under a heading, whose values are words of the screen. */
export interface MixedSource {
  readonly kind: Kind
  readonly group: string
  readonly wordOf: (value: string) => string
}

interface MixedProps {
  readonly label: string
  readonly value: string
  /** For a value that is not among what is found. */
  readonly labelOf: (value: string) => string
  readonly fixed: readonly FixedGroup[]
  readonly sources: readonly [MixedSource, MixedSource?]
  readonly onChange: (value: string) => void
  readonly style?: SelectProps['style']
}

/** One of a few fixed choices, or of things that are found at the gateway. */
export function PickMixed({ label, value, labelOf, fixed, sources: [first, second], onChange, style }: MixedProps) {
  const [typed, setTyped] = useState('')
  const [opened, setOpened] = useState(false)
  const [debounced] = useDebouncedValue(typed.trim(), TYPED_MS)
  const [known, setKnown] = useState<Readonly<Record<string, string>>>({})
  const chosen =
    fixed.flatMap(({ items }) => items).find((item) => item.value === value)?.label ?? known[value] ?? labelOf(value)
  const search = debounced === chosen ? '' : debounced
  const ofFirst = useChoices(first.kind, search, opened)
  const ofSecond = useChoices(second?.kind ?? first.kind, search, opened && second !== undefined)
  const found = [
    { source: first, choices: ofFirst },
    ...(second === undefined ? [] : [{ source: second, choices: ofSecond }]),
  ].map(({ source, choices }) => groupOf(source, choices))
  const groups = [
    ...fixed.map(({ group, items }) => ({
      group,
      items: items.filter((item) => item.label.toLowerCase().includes(search.toLowerCase())),
    })),
    ...found,
  ].filter(({ items }) => items.length > 0)
  const isOffered = groups.some(({ items }) => items.some((item) => item.value === value))
  const data = isOffered ? groups : [{ group: '', items: [{ value, label: chosen }] }, ...groups]
  return (
    <Select
      label={label}
      value={value}
      data={data.flatMap(({ group, items }): ComboboxData =>
        group === '' ? [...items] : [{ group, items: [...items] }],
      )}
      filter={({ options }) => options}
      onChange={(next) => {
        if (next === null) return
        const named = found.flatMap(({ items }) => items).find((item) => item.value === next)
        if (named !== undefined) setKnown({ ...known, [next]: named.label })
        onChange(next)
      }}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpened(true)}
      nothingFoundMessage={ofFirst.busy || ofSecond.busy ? texts.picker.searching : texts.picker.nothing}
      allowDeselect={false}
      searchable
      style={style}
    />
  )
}

function groupOf({ group, wordOf }: MixedSource, { found, total }: Choices) {
  const rest = total - found.length
  const more = { value: `\n${group}`, label: texts.picker.more({ number: count(rest) }), disabled: true }
  const items = found.map(({ value, label }) => ({ value: wordOf(value), label }))
  return { group, items: rest > 0 ? [...items, more] : items }
}
