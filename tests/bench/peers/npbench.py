#!/usr/bin/env python3
"""Times the programs of `../programs/npbench.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, report


def lu(matrix):
    m = matrix.clone()
    for k in range(m.shape[0]):
        m[k + 1 :, k] /= 2 + m[k, k]
        m[k + 1 :, k + 1 :] -= m[k + 1 :, k, None] * m[None, k, k + 1 :]
    return m


def cholesky(matrix):
    m = matrix.clone()
    for k in range(m.shape[0]):
        m[k, k] = (1 + m[k, k].abs()).sqrt()
        m[k + 1 :, k] /= m[k, k]
        m[k + 1 :, k + 1 :] -= m[k + 1 :, k, None] * m[None, k + 1 :, k]
    return m


def trisolv(lower, right):
    x = torch.zeros_like(right)
    for i in range(len(x)):
        x[i] = (right[i] - lower[i, :i] @ x[:i]) / (2 + lower[i, i])
    return x


def durbin(r):
    y = torch.zeros_like(r)
    beta, alpha = torch.ones((), device=r.device), torch.full((), -0.5, device=r.device)
    for k in range(len(r)):
        beta = beta * (1 - alpha * alpha)
        alpha = -(r[k] + r[:k].flip(0) @ y[:k]) / (beta + 4)
        y[:k] = y[:k] + alpha * y[:k].flip(0)
        y[k] = alpha
    return y


def gramschmidt(rows):
    q = rows.clone()
    for k in range(q.shape[0]):
        q[k] /= q[k].norm()
        q[k + 1 :] -= (q[k + 1 :] @ q[k])[:, None] * q[k]
    return q


def at_distance(data, radius):
    low, high = radius.min(), radius.max()
    classes = (1000 * (radius - low) / (high - low)).long().clamp(max=999)
    count = torch.bincount(classes, minlength=1000)
    return torch.bincount(classes, data, minlength=1000) / count.clamp(min=1)


def fdtd2d(ex, ey, hz):
    ex, ey, hz = ex.clone(), ey.clone(), hz.clone()
    for _ in range(20):
        ey[0] = 1
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return hz


def hdiff(field, weights):
    lap = 4 * field[1:-1, 1:-1] - (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2])
    flx = lap[1:, 1:-1] - lap[:-1, 1:-1]
    flx = torch.where(flx * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0, flx)
    fly = lap[1:-1, 1:] - lap[1:-1, :-1]
    fly = torch.where(fly * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0, fly)
    return field[2:-2, 2:-2] - weights * (flx[1:] - flx[:-1] + fly[:, 1:] - fly[:, :-1])


def heat3d(cube):
    u = cube.clone()
    for _ in range(20):
        c = u[1:-1, 1:-1, 1:-1]
        along = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] - 2 * c
        across = u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1] - 2 * c
        down = u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2] - 2 * c
        u[1:-1, 1:-1, 1:-1] = c + 0.125 * (along + across + down)
    return u


def lenet(images, c1, c2, f1, f2, f3):
    h = nn.max_pool2d(nn.relu(nn.conv2d(images[:, None], c1[:, None])), 2)
    h = nn.max_pool2d(nn.relu(nn.conv2d(h, c2)), 2).flatten(1)
    return nn.relu(nn.relu(h @ f1.T) @ f2.T) @ f3.T


def determinant(matrix):
    m, value = matrix.clone(), torch.ones((), device=matrix.device)
    for k in range(m.shape[0]):
        pivot = 3 + m[k, k]
        m[k + 1 :, k + 1 :] -= m[k + 1 :, k, None] * m[None, k, k + 1 :] / pivot
        value = value * (pivot / 3)
    return value


def separable(image):
    weights = torch.exp(-0.5 * torch.arange(-3, 4, device=image.device) ** 2).float()
    wide = nn.pad(image[None, None], (3, 3, 0, 0), mode="replicate")
    rows = nn.conv2d(wide, weights[None, None, None])
    return nn.conv2d(nn.pad(rows, (0, 0, 3, 3), mode="replicate"), weights[None, None, :, None])


def kept(rows):
    return torch.where(rows > 0.5, rows, -torch.inf)


def kept_norm(rows):
    mask = rows > 0.5
    n = mask.sum(1, keepdim=True).clamp(min=1)
    mean = (rows * mask).sum(1, keepdim=True) / n
    variance = ((rows - mean) ** 2 * mask).sum(1, keepdim=True) / n
    return torch.where(mask, (rows - mean) / (variance + 1e-5).sqrt(), 0)


def programs():
    wide = floats(8192, 8192)
    v, w = floats(8192), floats(8192)
    yield "bicg", lambda: (wide.T @ v, wide @ w)
    a, b = floats(2048, 2048), floats(2048, 2048)
    yield "syrk", lambda: torch.where(torch.ones_like(b).tril() > 0, 1.2 * b + 1.5 * a @ a.T, b)
    yield "trmm", lambda: 1.5 * (b + torch.tril(a, -1).T @ b)
    m = floats(1024, 1024)
    yield "lu", lambda: lu(m)
    yield "cholesky", lambda: cholesky(m)
    triangle, right = floats(4096, 4096), floats(4096)
    yield "trisolv", lambda: trisolv(triangle, right)
    yield "durbin", lambda: durbin(right)
    small = floats(512, 512)
    yield "gramschmidt", lambda: gramschmidt(small)
    data, radius = floats(1 << 22), floats(1 << 22)
    yield "azimint-hist", lambda: at_distance(data, radius)
    field = [floats(1024, 1024) for _ in range(3)]
    yield "fdtd2d", lambda: fdtd2d(*field)
    space, weights = floats(260, 260, 160), floats(256, 256, 160)
    yield "hdiff", lambda: hdiff(space, weights)
    cube = floats(120, 120, 120)
    yield "heat3d", lambda: heat3d(cube)
    images = floats(64, 28, 28)
    layers = [floats(6, 5, 5), floats(16, 6, 5, 5), floats(120, 256), floats(84, 120), floats(10, 84)]
    yield "lenet", lambda: lenet(images, *layers)
    yield "determinant", lambda: determinant(m)
    yield "masked-product", lambda: torch.tril(a) @ b
    image = floats(4096, 4096)
    yield "separable", lambda: separable(image)
    rows = floats(8192, 4096)
    yield "columns-by-steps", lambda: (rows - rows.mean(0)) / (rows.var(0, unbiased=False) + 1e-5).sqrt()
    signal = floats(1536)
    yield "lags", lambda: signal.unfold(0, 1024, 1)[:512] @ signal[:1024] / 1024
    batch, filters = floats(32, 64, 112, 112), floats(64, 64, 3, 3)
    yield "conv-relu-pool", lambda: nn.max_pool2d(nn.relu(nn.conv2d(batch, filters, padding=1)), 2)
    many = floats(16384, 2048)
    yield "kept-softmax", lambda: torch.softmax(kept(many), 1)
    yield "kept-norm", lambda: kept_norm(many)
    lengths = 1 + torch.arange(65536, device=many.device) * 7919 % 128
    values = floats(1 << 23)
    starts = torch.arange(65536, device=many.device)[:, None] * 128
    places = torch.arange(128, device=many.device)

    def ragged():
        own = torch.where(places < lengths[:, None], values[(starts + places).clamp(max=(1 << 23) - 1)], -torch.inf)
        return torch.softmax(own, 1).amax(1)

    yield "ragged-softmax", ragged
    points, centres = floats(1 << 21, 32), floats(4, 32)
    yield "few-centres", lambda: torch.cdist(points, centres).argmin(1)


if __name__ == "__main__":
    report(programs())
