/** Asks for the inputs and sizes of a run, one small question after another, with a way back. */
import * as vscode from 'vscode';

import { describeValues, needsSizes, takesSizes } from './inputs';
import type { Kernel, RunValues } from './protocol';

const BACK = Symbol('back');
type Answer<T> = T | typeof BACK | undefined;

/** Values that a kernel can be run on at once, and where they come from. */
export interface Proposal {
    /** "As last time" */
    origin: string;
    values: RunValues;
}

/** Asks which proposal to run on: `'others'` asks for each value, undefined means that the question was dismissed. */
export async function askProposal(
    kernel: Kernel,
    proposals: Proposal[],
): Promise<RunValues | 'others' | undefined> {
    const picked = await vscode.window.showQuickPick<vscode.QuickPickItem & { answer: RunValues | 'others' }>(
        [
            ...proposals.map(({ origin, values }) => ({
                label: `$(play) ${describeValues(values)}`,
                detail: origin,
                answer: values,
            })),
            { label: '$(edit) Other inputs…', detail: 'Asks for each', answer: 'others' },
        ],
        { title: `Run ${kernel.name}`, placeHolder: 'Run on' },
    );
    return picked?.answer;
}

/** Asks for every input, then for every size that they leave open. Undefined if a question was dismissed. */
export async function askValues(
    kernel: Kernel,
    proposed: RunValues,
    folder: vscode.Uri | undefined,
): Promise<RunValues | undefined> {
    const inputs = [...proposed.inputs];
    const sizes: Record<string, number> = {};
    const steps = kernel.inputs.length + kernel.sizes.length;
    let step = 0;
    while (step < steps) {
        const isInput = step < kernel.inputs.length;
        if (!isInput && !needsSizes(kernel, inputs)) break;
        const title = `Run ${kernel.name}`;
        const place = { title, step: step + 1, totalSteps: steps };
        let answer: Answer<string>;
        if (isInput) {
            const parameter = kernel.inputs[step];
            if (parameter === undefined) return undefined;
            answer = await askInput(place, parameter, inputs[step] ?? 'random', folder);
            if (typeof answer === 'string') inputs[step] = answer;
        } else {
            const name = kernel.sizes[step - kernel.inputs.length];
            if (name === undefined) return undefined;
            const optional = inputs.some((input) => !takesSizes(input));
            answer = await askSize(place, name, sizes[name] ?? proposed.sizes[name], optional);
            if (answer === '') delete sizes[name];
            else if (typeof answer === 'string') sizes[name] = Number(answer);
        }
        if (answer === undefined) return undefined;
        step += answer === BACK ? -1 : 1;
    }
    return { inputs, sizes };
}

interface Place {
    title: string;
    step: number;
    totalSteps: number;
}

interface InputItem extends vscode.QuickPickItem {
    value: string | 'a file';
}

function askInput(
    place: Place,
    parameter: { name: string; type: string },
    proposed: string,
    folder: vscode.Uri | undefined,
): Promise<Answer<string>> {
    const fixed: InputItem[] = [
        { label: proposed, description: 'proposed', value: proposed },
        { label: 'random', description: 'random values; random:7 for those of seed 7', value: 'random' },
        { label: 'signed', description: 'random values, negative ones too', value: 'signed' },
        { label: 'iota', description: '0, 1, 2, …', value: 'iota' },
    ];
    const choices: InputItem[] = [
        ...fixed.filter((item, i) => fixed.findIndex((other) => other.value === item.value) === i),
        { label: '$(folder-opened) File…', description: '.npy, or numbers as text', value: 'a file' },
    ];

    const pick = vscode.window.createQuickPick<InputItem>();
    Object.assign(pick, place);
    pick.items = choices;
    pick.placeholder = `${parameter.name} : ${parameter.type} — choose, or type a value such as [1,2,3] or a file`;
    pick.buttons = place.step > 1 ? [vscode.QuickInputButtons.Back] : [];
    pick.ignoreFocusOut = true;
    pick.onDidChangeValue((text) => {
        const typed = text.trim();
        const item: InputItem = { label: typed, description: 'use this', value: typed, alwaysShow: true };
        const others = choices.filter((choice) => choice.value !== typed);
        pick.items = typed === '' ? choices : [item, ...others];
    });
    return new Promise<Answer<string>>((resolve) => {
        let choosingFile = false;
        pick.onDidAccept(async () => {
            // Nothing is selected if Enter comes before the list is filtered; the typed text is the answer then.
            const value = pick.selectedItems[0]?.value ?? pick.value.trim();
            if (value === '') return;
            if (value !== 'a file') {
                resolve(value);
            } else {
                choosingFile = true;
                resolve(await askFile(parameter.name, folder));
            }
            pick.dispose();
        });
        pick.onDidTriggerButton(() => {
            resolve(BACK);
            pick.dispose();
        });
        pick.onDidHide(() => {
            if (!choosingFile) resolve(undefined);
        });
        pick.show();
    });
}

async function askFile(name: string, folder: vscode.Uri | undefined): Promise<string | undefined> {
    const [file] =
        (await vscode.window.showOpenDialog({
            title: `The input ${name}`,
            openLabel: 'Use',
            filters: { Arrays: ['npy', 'txt'], 'All files': ['*'] },
            ...(folder && { defaultUri: folder }),
        })) ?? [];
    return file?.fsPath;
}

function askSize(
    place: Place,
    name: string,
    proposed: number | undefined,
    optional: boolean,
): Promise<Answer<string>> {
    const box = vscode.window.createInputBox();
    Object.assign(box, place);
    box.prompt = optional ? `The length ${name}; empty if an input gives it` : `The length ${name}`;
    box.value = proposed === undefined ? '' : String(proposed);
    box.buttons = place.step > 1 ? [vscode.QuickInputButtons.Back] : [];
    box.ignoreFocusOut = true;
    const check = (text: string): string | undefined => {
        if (text === '') return optional ? undefined : 'A number is needed.';
        return /^\d{1,15}$/.test(text) ? undefined : 'A length is a natural number.';
    };
    box.onDidChangeValue((text) => {
        box.validationMessage = check(text.trim());
    });
    return new Promise<Answer<string>>((resolve) => {
        box.onDidAccept(() => {
            const text = box.value.trim();
            box.validationMessage = check(text);
            if (box.validationMessage !== undefined) return;
            resolve(text);
            box.dispose();
        });
        box.onDidTriggerButton(() => {
            resolve(BACK);
            box.dispose();
        });
        box.onDidHide(() => resolve(undefined));
        box.show();
    });
}
