// Takes the picture of the README in the real workbench: a program with its hints and a hover, its OpenCL beside it, where
// what the expression at the cursor became is marked.
//
//   node picture.mjs ADDRESS FILE
//
// ADDRESS is where `serve` serves examples/; FILE is the picture, a .png.
import { tmpdir } from 'node:os';

import { Workbench } from './workbench.mjs';

const [, , address, picture] = process.argv;
const PROGRAM = 'first.lift';
const GENERATED = 'first.cl';

const workbench = new Workbench(tmpdir(), { width: 1580, height: 620, scale: 1.5 });
await workbench.open(address);
// VS Code opens the folder's README by itself.
await workbench.until('the start page', async () => (await workbench.tabs()).length > 0);
await workbench.command('View: Close All Editors');
await workbench.until('nothing is open', async () => (await workbench.tabs()).length === 0);
await workbench.openFile(PROGRAM);
// Hides the side bar, so that the two texts have the whole window.
await workbench.page.keyboard.press('Control+B');
await workbench.command('Lift: Generate OpenCL');
await workbench.until('the OpenCL', async () => (await workbench.lines(GENERATED)).length > 20);
await workbench.widen(PROGRAM, 240);
await workbench.scrollTo(GENERATED, '// filter: compact');
await workbench.clickOn(PROGRAM, 6, 'filter');
await workbench.until('marked lines', async () => (await workbench.marked(GENERATED)).length > 0);
await workbench.hover(PROGRAM, 6, 'filter');
await workbench.page.screenshot({ path: picture });
await workbench.close();
