/** What the grammar of breaks starts from: values that are known to fit, and texts to put into them. */

/** At least three values per schema, of two lengths: the second is a decoy for the first, the third for the second. */
export const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  think: [
    { type: 'TODO', description: 'sort the names, then count them' },
    { type: 'RETURN', description: 'there are eleven names' },
    { type: 'TODO', description: 'open the archive' },
  ],
  eval: [
    { type: 'CALL', description: 'weigh the second parcel', adopt: 'todo' },
    { type: 'RETURN', description: 'both parcels weigh the same' },
    { type: 'CALL', description: 'ask for the third parcel' },
  ],
  plan: [
    {
      type: 'plan-next',
      plan_type: 'PLAN_STEPS',
      new_block: { goal: 'paint the fence', plan: ['buy paint', 'sand the wood', 'paint'], done: [] },
      note: 'two coats',
    },
    {
      type: 'plan-next',
      plan_type: 'PLAN_PROBES',
      new_block: { goal: 'find the leak', plan: ['look below the sink'], done: [] },
    },
    { type: 'plan-next', plan_type: 'EXECUTE', new_block: { goal: 'rest', plan: [], done: [] } },
  ],
  steps: [
    [
      { name: 'fetch', done: true, cost: 2 },
      { name: 'parse', done: false },
      { name: 'store', done: false, cost: 1.5 },
    ],
    [{ name: 'rinse', done: true }],
    [
      { name: 'mix', done: true },
      { name: 'bake', done: false },
    ],
  ],
  score: [
    { score: 7, reason: 'right, but slow on long lists', final: false },
    { score: 2.5, reason: 'misses the point', final: true },
    { score: 10, reason: 'nothing to add', final: true },
  ],
  cot: [
    {
      current_thinking: 'The sum has two parts',
      planning: [
        { description: 'add the first part', status: 'Done', result: '14' },
        { description: 'add the second part', status: 'Pending' },
      ],
      next_thought_needed: true,
    },
    { current_thinking: 'All parts are added', planning: [], next_thought_needed: false },
    {
      current_thinking: 'Check it backwards',
      planning: [{ description: 'subtract', status: 'Verification Needed', mark: null }],
      next_thought_needed: true,
    },
  ],
  tags: [['garden', 'tools', 'winter'], ['kitchen', 'soup'], ['attic']],
  thoughts: [
    { thoughts: ['split the list in halves', 'use a heap', 'sort it first'], scores: [0.4, 0.9, 0.6] },
    { thoughts: ['ask the owner'], scores: [1] },
    { thoughts: ['wait a day', 'go at once'] },
  ],
  file: [
    { path: 'notes/today.txt', content: 'call the plumber' },
    { path: 'index.html', content: '<p>hello</p>' },
    { path: 'empty.txt', content: '' },
  ],
  vote: [
    { choice: 'B', votes: 14, confident: true },
    { choice: 'A', votes: 3, confident: false },
    { choice: 'C', votes: 0, confident: false },
  ],
  verdict: [
    { verdict: 'unsure', because: 'the sample is small' },
    { verdict: 'no', because: 'step four does not follow' },
    { verdict: 'yes', because: 'every case is covered' },
  ],
  event: [
    { title: 'Harvest fair', date: '2026-09-12', attendees: 140, online: false },
    { title: 'Budget call', date: '2026-01-05', attendees: null, online: true },
    { title: 'Book club', date: '2025-12-31', attendees: 8, online: false },
  ],
  flags: [
    { mode: 'auto', enabled: true, retries: 3 },
    { mode: 'off', enabled: false, retries: 0 },
    { mode: 'on', enabled: true, retries: 12 },
  ],
  pair: [
    { left: 'river bank', right: 'savings bank' },
    { left: 'oak', right: 'elm' },
    { left: 'north gate', right: 'south gate' },
  ],
  shape: [
    { kind: 'box', width: 4, height: 2.5 },
    { kind: 'circle', radius: 3 },
    { kind: 'box', width: 1, height: 1 },
  ],
  tree: [
    {
      label: 'animals',
      children: [
        { label: 'birds', children: [{ label: 'heron', children: [] }] },
        { label: 'fish', children: [] },
      ],
    },
    { label: 'stones', children: [{ label: 'slate', children: [] }] },
    { label: 'clouds', children: [] },
  ],
  matrix: [
    [
      [1, 0],
      [0, 1],
    ],
    [[5, 6, 7]],
    [[2], [4]],
  ],
}

/** Plain text to a person; YAML takes a sign in it for something of its own. */
export const YAML_SIGNS = [
  'fix issue #41 before the release',
  '!ref marks a broken link in the draft',
  '&nbsp; is printed instead of a space',
  '*.ts files come before *.js files',
  'compare a: b with c: d',
  '> 90 percent of the rows must match',
  '| separates the columns',
  '{id} is not replaced in the title',
  '@media rules are missing',
  '[sic] stands in the source',
  '~/.profile is not read at the start',
  'null is returned for yes and no alike',
]

/** LaTeX and the like whose backslashes are escapes of JSON, too, and mean nothing there that anybody writes. */
export const LATEX = [
  '$\\frac{a}{b}$ is the ratio',
  'it grows by $2 \\times 3$ per row',
  '$\\beta$ is positive',
  'set $\\nabla f = 0$ first',
  '$\\rho$ falls with height',
  'the angle $\\theta = 0$ is left out',
  '$\\forall x$ it holds',
  'there are $\\binom{5}{2}$ ways',
]

/** No escape of JSON among them: each backslash is one. */
export const PATTERNS = [
  'match \\d+ in each line',
  'split it at \\s*;\\s*',
  'it lies in D:\\Work\\Code',
  'the macro \\alpha is not defined',
]

/** Whole texts that look like something else when they are not read as texts. */
export const TRICKY = [
  'write {"type": "RETURN"} into the log',
  'wait, actually 5 is meant here',
  'close </think> before you go on',
  'use ```json only for code',
  'see // and /* in the manual, # too',
  'the list [1, 2, ...] goes on',
  'C:\\new\\table holds \\frac{1}{2}',
  'it says "yes", "no" and \'maybe\'',
  'one,\ntwo: three;\n\tfour',
]

/** Quotes in a text that can only be part of it. */
export const INNER_QUOTES = [
  'the word "alpha" is missing',
  'a "red" and a "blue" one are left',
  'press "Start" twice, then wait',
]
