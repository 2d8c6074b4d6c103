/**
 * Which tools of the demo server work on numbers?
 *
 * Only shapes and sentences stand here; the arithmetic lives in the files beside this one. Never reads or keeps
 * anything: all three are reads.
 */
import * as z from 'zod'
import { demoTool } from '../demo-tool.ts'
import { evaluateExpression, EXPRESSION_NAMES } from './expression.ts'
import { summarizeNumbers } from './statistics.ts'
import { convertUnits, UNIT_LIST } from './units.ts'

const calculate = demoTool({
  name: 'calculate',
  title: 'Calculate',
  description:
    'Compute an arithmetic expression exactly as written, instead of estimating it. Operators: + - * / % (remainder) ^ (power) and parentheses. ' +
    `Names: ${EXPRESSION_NAMES.join(', ')}. Angles are in radians. A mistake is answered with its column.`,
  effect: 'read',
  input: z.strictObject({
    expression: z.string().min(1).max(2_000).describe('For example: round((1250 * 1.19) / 12, 2)'),
  }),
  output: z.object({ expression: z.string(), result: z.number() }),
  run: ({ expression }) => ({ expression, result: evaluateExpression(expression) }),
  say: ({ expression, result }) => `${expression} = ${result}`,
})

const convert = demoTool({
  name: 'convert_units',
  title: 'Convert units',
  description: `Convert a quantity between units of the same dimension. ${UNIT_LIST}. Full names work too; case matters for data (Mb is bits, MB is bytes).`,
  effect: 'read',
  input: z.strictObject({
    value: z.number().describe('How many of the unit `from`'),
    from: z.string().min(1).max(40).describe('Unit of the value, for example km or fahrenheit'),
    to: z.string().min(1).max(40).describe('Wanted unit, for example mi or celsius'),
  }),
  output: z.object({
    value: z.number(),
    from: z.string(),
    to: z.string(),
    dimension: z.string(),
    result: z.number(),
  }),
  run({ value, from, to }) {
    const conversion = convertUnits(value, from, to)
    return { ...conversion, value, result: conversion.value }
  },
  say: ({ value, from, to, result }) => `${value} ${from} = ${result} ${to}`,
})

const summarize = demoTool({
  name: 'summarize_numbers',
  title: 'Summarize numbers',
  description:
    'Describe a list of numbers: count, sum, mean, median, sample standard deviation, minimum, maximum, range and quantiles (linear interpolation).',
  effect: 'read',
  input: z.strictObject({
    numbers: z.array(z.number()).min(1).max(10_000),
    quantiles: z
      .array(z.number().min(0).max(1))
      .max(20)
      .default([0.05, 0.25, 0.75, 0.95])
      .describe('Shares between 0 and 1, for example 0.9 for the 90th percentile'),
  }),
  output: z.object({
    count: z.int(),
    sum: z.number(),
    mean: z.number(),
    median: z.number(),
    stdev: z.number().nullable().describe('Sample standard deviation; null for a single number'),
    min: z.number(),
    max: z.number(),
    range: z.number(),
    quantiles: z.array(z.object({ at: z.number(), value: z.number() })),
  }),
  run: ({ numbers, quantiles }) => summarizeNumbers(numbers, quantiles),
  say: ({ quantiles, ...facts }) =>
    [
      ...Object.entries(facts).map(([name, value]) => `${name}: ${value ?? 'none'}`),
      ...quantiles.map(({ at, value }) => `quantile ${at}: ${value}`),
    ].join('\n'),
})

export const numberTools = [calculate, convert, summarize]
