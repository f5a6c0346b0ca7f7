/*
 * The KeSCo paper's picture pipeline, in 11 kernels. See samples/img.h for what it does, arguments, sizes,
 * exit status, and what is shared with the versions by hand.
 *
 *   blur(image -> blurred.small)          sobel(blurred.small -> mask.small)
 *   blur(image -> blurred.large)          sobel(blurred.large -> mask.large)
 *   blur(image -> blurred.unsharpen)      max(mask.large -> maximum)
 *                                         min(mask.large -> minimum)
 *   extend(minimum, maximum -> mask.large)
 *   unsharpen(image, blurred.unsharpen -> sharpened)
 *   combine(sharpened, blurred.large, mask.large -> image2)
 *   combine(image2, blurred.small, mask.small -> image3)
 *
 * The source is serial: no stream in it, and not a word for KeSCo. With KeSCo the three blurs and what
 * follows from them run beside each other.
 */
#include "samples/img.h"

static void run(struct img_data *data) {
    int width = data->size.width, height = data->size.height, channels = data->size.channels;
    size_t pixels = data->size.pixels, values = data->size.values;
    unsigned parts = reduction_blocks(pixels);
    dim3 block(SIDE, SIDE), grid = grid_of(data);
    FETCH(data->image, values * sizeof(float));
    blur<<<grid, block>>>(data->blurred.small, data->image, width, height, channels, small_radius,
                          small_sigma);
    AWAIT();
    blur<<<grid, block>>>(data->blurred.large, data->image, width, height, channels, large_radius,
                          large_sigma);
    AWAIT();
    blur<<<grid, block>>>(data->blurred.unsharpen, data->image, width, height, channels, unsharpen_radius,
                          unsharpen_sigma);
    AWAIT();
    sobel<<<grid, block>>>(data->mask.small, data->blurred.small, width, height, channels);
    AWAIT();
    sobel<<<grid, block>>>(data->mask.large, data->blurred.large, width, height, channels);
    AWAIT();
    max<<<parts, REDUCTION_BLOCK>>>(data->maximum, data->mask.large, pixels);
    AWAIT();
    min<<<parts, REDUCTION_BLOCK>>>(data->minimum, data->mask.large, pixels);
    AWAIT();
    extend<<<blocks_of(pixels), BLOCK>>>(data->minimum, data->maximum, data->mask.large, pixels);
    AWAIT();
    unsharpen<<<blocks_of(values), BLOCK>>>(data->sharpened, data->image, data->blurred.unsharpen, values,
                                            unsharpen_amount);
    AWAIT();
    combine<<<blocks_of(values), BLOCK>>>(data->image2, data->sharpened, data->blurred.large,
                                          data->mask.large, values, channels);
    AWAIT();
    combine<<<blocks_of(values), BLOCK>>>(data->image3, data->image2, data->blurred.small, data->mask.small,
                                          values, channels);
    AWAIT();
    CHECK(cudaGetLastError());
}
